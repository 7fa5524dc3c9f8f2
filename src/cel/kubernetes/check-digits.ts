// Numbers with a check digit.
const CARDS =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** A credit card number, with any other characters between its digits. */
export function isCreditCard(text: string): boolean {
  const number = text.replaceAll(/[^0-9]+/g, '');
  if (!CARDS.test(number)) return false;
  const sum = digitsOf(number)
    .toReversed()
    .reduce((total, digit, place) => total + (place % 2 === 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9), 0);
  return sum % 10 === 0;
}

export function isIsbn(text: string): boolean {
  return isIsbn10(text) || isIsbn13(text);
}

/** Ten-digit ISBNs, whose last digit may be X for ten. */
export function isIsbn10(text: string): boolean {
  const number = withoutBlanks(text);
  if (!/^[0-9]{9}[0-9X]$/.test(number)) return false;
  const digits = [...digitsOf(number.slice(0, 9)), number.endsWith('X') ? 10 : Number(number.at(-1))];
  return digits.reduce((total, digit, place) => total + (place + 1) * digit, 0) % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const number = withoutBlanks(text);
  if (!/^[0-9]{13}$/.test(number)) return false;
  return digitsOf(number).reduce((total, digit, place) => total + (place % 2 === 0 ? 1 : 3) * digit, 0) % 10 === 0;
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/[\t\n\f\r -]+/g, '');
}

function digitsOf(text: string): number[] {
  return Array.from(text, Number);
}
