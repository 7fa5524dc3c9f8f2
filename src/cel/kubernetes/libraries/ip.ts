import { quoteGo } from '../../../api/values/index.ts';
import { declareFunction, member, overload } from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { BOOL, INT, STRING } from '../../type-terms/index.ts';
import { CelError, noSuchOverload, type Value } from '../../values/index.ts';
import { AddressError, type NetworkAddress, parseAddress } from '../network-address.ts';
import { IP_TYPE, IpValue } from '../network-values.ts';

/** `ip`, `isIP` and the functions of addresses. */
export function ipLibrary(): Library {
  const question = (
    name: string,
    id: string,
    answer: (bytes: readonly number[]) => boolean,
  ): ReturnType<typeof declareFunction> =>
    declareFunction(name, [
      member(id, [IP_TYPE], BOOL, (value) =>
        value instanceof IpValue ? answer(value.address.bytes) : noSuchOverload(),
      ),
    ]);
  return {
    types: [IP_TYPE],
    functions: [
      declareFunction('ip', [overload('string_to_ip', [STRING], IP_TYPE, toIp)]),
      declareFunction('family', [
        member('ip_family', [IP_TYPE], INT, (value) =>
          value instanceof IpValue ? (value.address.bytes.length === 4 ? 4 : 6) : noSuchOverload(),
        ),
      ]),
      declareFunction('ip.isCanonical', [overload('ip_is_canonical', [STRING], BOOL, isCanonical)]),
      question('isUnspecified', 'ip_is_unspecified', isUnspecified),
      question('isLoopback', 'ip_is_loopback', isLoopback),
      question('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
      question('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
      question('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
      declareFunction('isIP', [overload('is_ip', [STRING], BOOL, (value) => toIp(value) instanceof IpValue)]),
      declareFunction('string', [
        overload('ip_to_string', [IP_TYPE], STRING, (value) =>
          value instanceof IpValue ? value.toString() : noSuchOverload(),
        ),
      ]),
    ],
  };
}

/** Parses an address; an error when the string is not one. */
export function toIp(value: Value): IpValue | CelError {
  const text = value as string;
  let address: NetworkAddress;
  try {
    address = parseAddress(text);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new CelError(`IP Address ${quoteGo(text)} parse error during conversion from string: ${error.message}`);
  }
  if (address.zone !== '') return new CelError(`IP address ${quoteGo(text)} with zone value is not allowed`);
  if (isMapped(address.bytes)) return new CelError(`IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed`);
  return new IpValue(address);
}

/** Whether it is an IPv4-mapped IPv6 address. */
export function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  );
}

function isCanonical(value: Value): Value {
  const ip = toIp(value);
  return ip instanceof CelError ? ip : ip.toString() === value;
}

function isUnspecified(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === 0);
}

function isLoopback(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? bytes[0] === 127 : bytes.every((byte, at) => byte === (at === 15 ? 1 : 0));
}

function isMulticast(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? ((bytes[0] as number) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLinkLocalMulticast(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && ((bytes[1] as number) & 0x0f) === 2;
}

function isLinkLocalUnicast(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && ((bytes[1] as number) & 0xc0) === 0x80;
}

function isGlobalUnicast(bytes: readonly number[]): boolean {
  if (bytes.length === 4 && bytes.every((byte) => byte === 255)) return false;
  return !isUnspecified(bytes) && !isLoopback(bytes) && !isMulticast(bytes) && !isLinkLocalUnicast(bytes);
}
