import { quoteGo } from './go-text.ts';
import {
  formatCidr,
  formatInterfaceAddress,
  formatIp,
  formatIpv6,
  isIpv4InIpv6,
  isSameIp,
  maskIp,
  parseCidr,
  parseIp,
  type IpAddress,
  type IpPrefix,
} from './ip-address.ts';
import { NO_PROBLEMS, type Problems } from './problem-texts.ts';

const NO_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const NO_INTERFACE_ADDRESS = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';

/** Fields older than 1.33 accept addresses in other than the canonical form; sloppy ones too while `isStrict` is false. */
export interface LegacyIpOptions {
  /** The feature gate StrictIPCIDRValidation, on by default in 1.36. */
  readonly isStrict?: boolean;
  /** Values of the object before the update, which stay valid. */
  readonly old?: readonly string[];
}

/** Checks an IP address in a newer field: canonical only. */
export function ipProblems(value: string): Problems {
  const address = parseIp(value);
  const problems = address === undefined ? [NO_IP] : strictIpProblems(address);
  if (address === undefined || problems.length > 0) return problems;
  return canonicalProblems(value, formatIp(address));
}

/** Checks an IP address in an older field, such as a Service's `externalIPs`. */
export function legacyIpProblems(value: string, options: LegacyIpOptions = {}): Problems {
  if (options.old?.includes(value) === true) return NO_PROBLEMS;
  const address = parseIp(value);
  if (address === undefined) return [NO_IP];
  return options.isStrict === false ? NO_PROBLEMS : strictIpProblems(address);
}

/** Checks a network such as `10.0.0.0/8` in a newer field: canonical only. */
export function cidrProblems(value: string): Problems {
  const prefix = parseCidr(value);
  const problems = prefix === undefined ? [NO_CIDR] : strictCidrProblems(prefix);
  if (prefix === undefined || problems.length > 0) return problems;
  return canonicalProblems(value, formatCidr(prefix));
}

/** Checks a network in an older field, such as a NetworkPolicy's `cidr`. */
export function legacyCidrProblems(value: string, options: LegacyIpOptions = {}): Problems {
  if (options.old?.includes(value) === true) return NO_PROBLEMS;
  const prefix = parseCidr(value);
  if (prefix === undefined) return [NO_CIDR];
  return options.isStrict === false ? NO_PROBLEMS : strictCidrProblems(prefix);
}

/** Checks an address with the length of its network, such as `10.1.2.3/8`. */
export function interfaceAddressProblems(value: string): Problems {
  const prefix = parseCidr(value);
  return prefix === undefined ? [NO_INTERFACE_ADDRESS] : canonicalProblems(value, formatInterfaceAddress(prefix));
}

/** Warnings for an older field's address at `path`; none if it is not an address. */
export function ipWarnings(path: string, value: string): Problems {
  const address = parseIp(value);
  if (address === undefined) return NO_PROBLEMS;
  if (address.isSloppy || isIpv4InIpv6(address)) {
    return [`${path}: non-standard IP address ${quoteGo(value)} is invalid: use ${quoteGo(formatIp(address))}`];
  }
  const canonical = formatIp(address);
  if (address.bytes.length === 4 || canonical === value) return NO_PROBLEMS;
  return [`${path}: IPv6 address ${quoteGo(value)} should be in RFC 5952 canonical format (${quoteGo(canonical)})`];
}

/** Warnings for an older field's network at `path`; none if it is not a network. */
export function cidrWarnings(path: string, value: string): Problems {
  const prefix = parseCidr(value);
  if (prefix === undefined) return NO_PROBLEMS;
  const warnings: string[] = [];
  const network = formatCidr(prefix);
  if (!isSameIp(prefix.address, maskIp(prefix))) {
    const single = `${formatIp(prefix.address)}/${prefix.address.bytes.length * 8}`;
    const guesses = `(should be ${quoteGo(network)} or ${quoteGo(single)}?)`;
    warnings.push(`${path}: CIDR value ${quoteGo(value)} is ambiguous in this context ${guesses}`);
  }
  if (prefix.isSloppy || isIpv4InIpv6(prefix.address)) {
    warnings.push(`${path}: non-standard CIDR value ${quoteGo(value)} is invalid: use ${quoteGo(network)}`);
  }
  const canonical = `${formatIpv6(prefix.address)}/${prefix.length}`;
  if (warnings.length > 0 || prefix.address.bytes.length === 4 || canonical === value) return warnings;
  return [`${path}: IPv6 CIDR value ${quoteGo(value)} should be in RFC 5952 canonical format (${quoteGo(canonical)})`];
}

function strictIpProblems(address: IpAddress): Problems {
  if (address.isSloppy) return ['must not have leading 0s'];
  return isIpv4InIpv6(address) ? ['must not be an IPv4-mapped IPv6 address'] : NO_PROBLEMS;
}

function strictCidrProblems(prefix: IpPrefix): Problems {
  if (prefix.isSloppy) return ['must not have leading 0s in IP or prefix length'];
  if (isIpv4InIpv6(prefix.address)) return ['must not have an IPv4-mapped IPv6 address'];
  const isNetwork = isSameIp(prefix.address, maskIp(prefix));
  return isNetwork ? NO_PROBLEMS : ['must not have bits set beyond the prefix length'];
}

function canonicalProblems(value: string, canonical: string): Problems {
  return value === canonical ? NO_PROBLEMS : [`must be in canonical form (${quoteGo(canonical)})`];
}
