import { formatIp, isIpv4, parseIp } from '../../../api/values/index.ts';

/** An IP address as records have it. */
export interface HostAddress {
  /** Four or sixteen bytes. IPv6 addresses that stand for IPv4 have four. */
  readonly bytes: Uint8Array;
  /** In canonical form. */
  readonly text: string;
}

/** Reads an address as Go does: no zone, no leading zeros. */
export function hostAddress(text: string): HostAddress | undefined {
  const address = parseIp(text);
  if (address === undefined || address.isSloppy) return undefined;
  const bytes = Uint8Array.from(isIpv4(address) ? address.bytes.slice(-4) : address.bytes);
  return { bytes, text: formatIp(address) };
}

/** The label that stands for an address: `10-244-0-7`, `2001-db8--1`. */
export function dashedAddress(text: string): string {
  if (text.includes('.') && !text.includes(':')) return text.replaceAll('.', '-');
  const dashed = text.replaceAll(':', '-').replaceAll('.', '-');
  return dashed.endsWith('-') ? `${dashed}0` : dashed;
}

/** The address that a label of a pod stands for. */
export function addressOfLabel(label: string): HostAddress | undefined {
  const dashes = label.split('-').length - 1;
  return hostAddress(dashes === 3 && !label.includes('--') ? label.replaceAll('-', '.') : label.replaceAll('-', ':'));
}

/** A number up to 255 without leading zeros. */
function isOctet(text: string): boolean {
  if (text.length === 0 || text.length > 3 || (text.length > 1 && text.charCodeAt(0) === ZERO)) return false;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return false;
    value = 10 * value + digit;
  }
  return value <= 255;
}

const ZERO = 0x30;
const IPV4_ZONE = '.in-addr.arpa.';
const IPV6_ZONE = '.ip6.arpa.';

/** The address that a name of the reverse tree stands for, in canonical form; undefined for any other name. In lower case. */
export function addressOfReverseName(name: string): string | undefined {
  if (name.endsWith(IPV4_ZONE)) {
    const labels = name.slice(0, -IPV4_ZONE.length).split('.');
    return labels.length === 4 && labels.every(isOctet) ? labels.toReversed().join('.') : undefined;
  }
  if (!name.endsWith(IPV6_ZONE)) return undefined;
  const digits = name.slice(0, -IPV6_ZONE.length).split('.').toReversed();
  const groups = Array.from({ length: Math.floor(digits.length / 4) }, (_, index) =>
    digits.slice(4 * index, 4 * index + 4).join(''),
  );
  return hostAddress(groups.join(':'))?.text;
}
