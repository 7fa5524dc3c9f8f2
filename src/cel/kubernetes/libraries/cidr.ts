import { maskIp, quoteGo } from '../../../api/values/index.ts';
import { declareFunction, member, overload, type Overload } from '../../check/declarations.ts';
import type { Library } from '../../library/library.ts';
import { BOOL, INT, STRING, type Type } from '../../type-terms/index.ts';
import { CelError, noSuchOverload, type Value } from '../../values/index.ts';
import { AddressError, type NetworkPrefix, parsePrefix } from '../network-address.ts';
import { CIDR_TYPE, CidrValue, IP_TYPE, IpValue, sameStart } from '../network-values.ts';
import { isMapped, toIp } from './ip.ts';

/** `cidr`, `isCIDR` and the functions of networks. */
export function cidrLibrary(): Library {
  return {
    types: [CIDR_TYPE],
    functions: [
      declareFunction('cidr', [overload('string_to_cidr', [STRING], CIDR_TYPE, toCidr)]),
      declareFunction('containsIP', [
        member('cidr_contains_ip_string', [CIDR_TYPE, STRING], BOOL, (cidr, text) => containsIp(cidr, toIp(text))),
        member('cidr_contains_ip_ip', [CIDR_TYPE, IP_TYPE], BOOL, containsIp),
      ]),
      declareFunction('containsCIDR', [
        member('cidr_contains_cidr_string', [CIDR_TYPE, STRING], BOOL, (cidr, text) =>
          containsCidr(cidr, toCidr(text)),
        ),
        member('cidr_contains_cidr', [CIDR_TYPE, CIDR_TYPE], BOOL, containsCidr),
      ]),
      declareFunction('ip', [question('cidr_ip', IP_TYPE, ({ prefix }) => new IpValue(prefix.address))]),
      declareFunction('prefixLength', [question('cidr_prefix_length', INT, ({ prefix }) => prefix.length)]),
      declareFunction('masked', [question('cidr_masked', CIDR_TYPE, masked)]),
      declareFunction('isCIDR', [overload('is_cidr', [STRING], BOOL, (text) => toCidr(text) instanceof CidrValue)]),
      declareFunction('string', [
        overload('cidr_to_string', [CIDR_TYPE], STRING, (cidr) => withCidr(cidr, (value) => value.toString())),
      ]),
    ],
  };
}

function withCidr(value: Value, apply: (cidr: CidrValue) => Value): Value {
  return value instanceof CidrValue ? apply(value) : noSuchOverload();
}

function question(id: string, result: Type, answer: (cidr: CidrValue) => Value): Overload {
  return member(id, [CIDR_TYPE], result, (value) => withCidr(value, answer));
}

function toCidr(value: Value): CidrValue | CelError {
  const prefix = readPrefix(value as string);
  if (typeof prefix !== 'string') return new CidrValue(prefix);
  return new CelError(`network address parse error during conversion from string: ${prefix}`);
}

/** The prefix, or a description of the problem. */
function readPrefix(text: string): NetworkPrefix | string {
  try {
    const prefix = parsePrefix(text);
    return isMapped(prefix.address.bytes) ? `IPv4-mapped IPv6 address ${quoteGo(text)} is not allowed` : prefix;
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return `network address parse error during conversion from string: ${error.message}`;
  }
}

function containsIp(cidr: Value, ip: Value): Value {
  // The parse error of an invalid address is lost here, as in Kubernetes, which checks the network first.
  if (!(cidr instanceof CidrValue) || !(ip instanceof IpValue)) return noSuchOverload();
  return cidr.contains(ip.address);
}

function containsCidr(cidr: Value, other: Value): Value {
  if (other instanceof CelError) return other;
  if (!(cidr instanceof CidrValue) || !(other instanceof CidrValue)) return noSuchOverload();
  const { address, length } = cidr.prefix;
  return length <= other.prefix.length && sameStart(address.bytes, other.prefix.address.bytes, length);
}

function masked({ prefix }: CidrValue): CidrValue {
  const { bytes } = maskIp({
    address: { bytes: prefix.address.bytes, isSloppy: false },
    length: prefix.length,
  });
  return new CidrValue({ address: { bytes, zone: '' }, length: prefix.length });
}
