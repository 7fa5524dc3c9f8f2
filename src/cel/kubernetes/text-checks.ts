import type { TextChecks } from '../../api/index.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, parseCidr, parseIp } from '../../api/values/index.ts';
import { compilePattern } from '../library/regex.ts';
import { parseRequestUri, UrlError } from './go-url.ts';
import { isMailAddress } from './mail-address.ts';
import { isBase64, isDate, isDateTime, isUuid, parseLenientDuration } from './string-formats.ts';

type Check = (text: string) => boolean;

const UUID_OF_VERSION = (version: string, variant: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i');
const BYTE = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
/** Six, eight or twenty bytes in hexadecimal: one or two at a time with separators, or all in a row. */
const MAC =
  /^(?:[0-9a-f]{2}([:-])(?:(?:[0-9a-f]{2}\1){4}|(?:[0-9a-f]{2}\1){6}|(?:[0-9a-f]{2}\1){18})[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}(?:[0-9a-f]{4}\.(?:(?:[0-9a-f]{4}\.){6})?)?[0-9a-f]{4}|[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i;
const LABEL = '[a-z0-9\\p{S}\\p{L}](?:[a-z0-9\\-\\p{S}\\p{L}]{0,61}[a-z0-9\\p{S}\\p{L}])?';
const HOSTNAME = new RegExp(
  `^(?:[a-z0-9\\p{S}\\p{L}](?:-?[a-z0-9\\p{S}\\p{L}]{0,62})?|(?:${LABEL}\\.)+[a-z\\p{L}]{2,63})$`,
  'iu',
);

const matching =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

/** The formats of custom resource schemas, by their names without dashes. */
const checks: Readonly<Record<string, Check>> = {
  creditcard: isCreditCard,
  isbn: isIsbn,
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  password: () => true,
  bsonobjectid: matching(/^[0-9a-f]{24}$/i),
  byte: isBase64,
  cidr: (text) => parseCidr(text) !== undefined,
  date: isDate,
  datetime: isDateTime,
  duration: (text) => parseLenientDuration(text) !== undefined,
  email: isMailAddress,
  hexcolor: matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i),
  hostname: (text) =>
    Buffer.byteLength(text) <= 255 &&
    HOSTNAME.test(text) &&
    text.split('.').every((part) => Buffer.byteLength(part) <= 63),
  ipv4: (text) => text.includes('.') && parseIp(text) !== undefined,
  ipv6: (text) => text.includes(':') && parseIp(text)?.isSloppy === false,
  k8slongname: (text) => dns1123SubdomainProblems(text).length === 0,
  k8sshortname: (text) => dns1123LabelProblems(text).length === 0,
  mac: matching(MAC),
  rgbcolor: matching(new RegExp(`^rgb\\(\\s*${BYTE}\\s*,\\s*${BYTE}\\s*,\\s*${BYTE}\\s*\\)$`)),
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: isRequestUri,
  uuid: isUuid,
  uuid3: matching(UUID_OF_VERSION('3', '[0-9a-f]')),
  uuid4: matching(UUID_OF_VERSION('4', '[89ab]')),
  uuid5: matching(UUID_OF_VERSION('5', '[89ab]')),
};

/** How Kubernetes checks patterns and formats in schemas. */
export const textChecks: TextChecks = {
  matches(pattern, text) {
    const compiled = compilePattern(pattern);
    if (!compiled.ok) return compiled.error.message;
    const answer = compiled.pattern.test(text);
    return typeof answer === 'boolean' ? answer : undefined;
  },
  format: (name) => checks[name.replaceAll('-', '')],
};

function isRequestUri(text: string): boolean {
  try {
    parseRequestUri(text);
    return true;
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

/** Credit card numbers by their first digits and length; the last digit is a check digit. */
const CARDS =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

/** A credit card number, with any other characters between its digits. */
function isCreditCard(text: string): boolean {
  const number = text.replaceAll(/[^0-9]+/g, '');
  if (!CARDS.test(number)) return false;
  const sum = digitsOf(number)
    .toReversed()
    .reduce((total, digit, place) => total + (place % 2 === 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9), 0);
  return sum % 10 === 0;
}

function isIsbn(text: string): boolean {
  return isIsbn10(text) || isIsbn13(text);
}

/** Ten-digit ISBNs, whose last digit may be X for ten. */
function isIsbn10(text: string): boolean {
  const number = withoutBlanks(text);
  if (!/^[0-9]{9}[0-9X]$/.test(number)) return false;
  const digits = [...digitsOf(number.slice(0, 9)), number.endsWith('X') ? 10 : Number(number.at(-1))];
  return digits.reduce((total, digit, place) => total + (place + 1) * digit, 0) % 11 === 0;
}

function isIsbn13(text: string): boolean {
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
