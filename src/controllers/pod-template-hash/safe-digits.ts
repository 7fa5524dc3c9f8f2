const SAFE_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** The digits of a number in letters that spell no words, as Kubernetes encodes hashes in names. */
export function safeDigits(number: number): string {
  return [...String(number)].map((digit) => SAFE_LETTERS[digit.charCodeAt(0) % SAFE_LETTERS.length]).join('');
}
