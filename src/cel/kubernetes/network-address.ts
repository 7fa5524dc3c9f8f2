import { quoteGo } from '../../api/values/index.ts';

/** An address as Go's netip parses it: strictly, with an optional zone after `%`. */
export interface NetworkAddress {
  /** Four or sixteen. */
  readonly bytes: readonly number[];
  readonly zone: string;
}

export interface NetworkPrefix {
  readonly address: NetworkAddress;
  readonly length: number;
}

/** An invalid address or prefix; the message is Go's. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** Reads an IPv4 or IPv6 address. Throws AddressError. */
export function parseAddress(text: string): NetworkAddress {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === '.') return { bytes: readIpv4(text, text), zone: '' };
  if (mark === ':') return readIpv6(text);
  throw addressError(text, mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

/** Parses `address/length`; bits beyond the length may be set. Throws AddressError. */
export function parsePrefix(text: string): NetworkPrefix {
  const slash = text.lastIndexOf('/');
  const refuse = (why: string): never => {
    throw new AddressError(`netip.ParsePrefix(${quoteGo(text)}): ${why}`);
  };
  if (slash < 0) return refuse("no '/'");
  const address = addressOf(text.slice(0, slash), refuse);
  if (address.zone !== '') return refuse('IPv6 zones cannot be present in a prefix');
  const digits = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]*)$/.test(digits) || BigInt(digits) > 2n ** 63n - 1n) {
    return refuse(`bad bits after slash: ${quoteGo(digits)}`);
  }
  if (Number(digits) > address.bytes.length * 8) return refuse('prefix length out of range');
  return { address, length: Number(digits) };
}

function addressOf(text: string, refuse: (why: string) => never): NetworkAddress {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) return refuse(error.message);
    throw error;
  }
}

function addressError(text: string, what: string, at = ''): AddressError {
  return new AddressError(`ParseAddr(${quoteGo(text)}): ${what}${at === '' ? '' : ` (at ${quoteGo(at)})`}`);
}

/** The four bytes of `part`, which is the end of `whole`. */
function readIpv4(whole: string, part: string): number[] {
  const bytes: number[] = [];
  let digits = '';
  for (let at = 0; at < part.length; at++) {
    const character = part.charAt(at);
    if (character >= '0' && character <= '9') {
      if (digits === '0') throw addressError(whole, 'IPv4 field has octet with leading zero');
      digits += character;
      if (Number(digits) > 255) throw addressError(whole, 'IPv4 field has value >255');
    } else if (character === '.') {
      if (digits === '' || at === part.length - 1) {
        throw addressError(whole, 'IPv4 field must have at least one digit', part.slice(at));
      }
      if (bytes.length === 3) throw addressError(whole, 'IPv4 address too long');
      bytes.push(Number(digits));
      digits = '';
    } else {
      throw addressError(whole, 'unexpected character', part.slice(at));
    }
  }
  if (bytes.length < 3) throw addressError(whole, 'IPv4 address too short');
  return [...bytes, Number(digits)];
}

function readIpv6(text: string): NetworkAddress {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') throw addressError(text, 'zone must be a non-empty string');
  let rest = percent < 0 ? text : text.slice(0, percent);
  const bytes: number[] = [];
  /** Position of `::`, in bytes. */
  let gap = -1;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
    if (rest === '') return { bytes: Array.from({ length: 16 }, () => 0), zone };
  }
  while (bytes.length < 16) {
    const group = readGroup(text, rest);
    if (rest.charAt(group.length) === '.') {
      if (gap < 0 && bytes.length !== 12) {
        throw addressError(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
      }
      if (bytes.length > 12) {
        throw addressError(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      }
      bytes.push(...readIpv4(text, rest));
      rest = '';
      break;
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 0xff);
    rest = rest.slice(group.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) throw addressError(text, 'unexpected character, want colon', rest);
    if (rest.length === 1) throw addressError(text, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      if (gap >= 0) throw addressError(text, 'multiple :: in address', rest);
      gap = bytes.length;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  if (rest !== '') throw addressError(text, 'trailing garbage after address', rest);
  return { bytes: fillGap(text, bytes, gap), zone };
}

function readGroup(text: string, rest: string): string {
  const group = /^[0-9a-fA-F]{0,5}/.exec(rest)?.[0] ?? '';
  if (group.length > 4) throw addressError(text, 'each group must have 4 or less digits', rest);
  if (group === '') throw addressError(text, 'each colon-separated field must have at least one digit', rest);
  return group;
}

function fillGap(text: string, bytes: readonly number[], gap: number): readonly number[] {
  if (bytes.length === 16) {
    if (gap >= 0) throw addressError(text, 'the :: must expand to at least one field of zeros');
    return bytes;
  }
  if (gap < 0) throw addressError(text, 'address string too short');
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0);
  return [...bytes.slice(0, gap), ...zeros, ...bytes.slice(gap)];
}
