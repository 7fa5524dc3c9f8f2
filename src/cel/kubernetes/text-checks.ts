import type { TextChecks } from '../../api/index.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, parseCidr, parseIp } from '../../api/values/index.ts';
import { compilePattern } from '../library/regex.ts';
import { isCreditCard, isIsbn, isIsbn10, isIsbn13 } from './check-digits.ts';
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
