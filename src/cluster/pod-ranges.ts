import { formatIp, maskIp, parseCidr, parseIp } from '../api/index.ts';

/** The shortest prefix that a range of pods may have. */
const MIN_PREFIX = 8;

/** The key of a range: its first address and its length. Undefined when the text is not a CIDR. */
export function rangeKey(cidr: string): string | undefined {
  const prefix = parseCidr(cidr);
  return prefix === undefined || prefix.length < MIN_PREFIX
    ? undefined
    : `${formatIp(maskIp(prefix))}/${prefix.length}`;
}

/** The keys of all ranges that an address may be in, the narrowest first; none for a host name. */
export function rangeKeysOf(host: string): readonly string[] {
  const address = parseIp(host);
  if (address === undefined) return [];
  const bits = address.bytes.length * 8;
  return Array.from({ length: bits - MIN_PREFIX + 1 }, (_, index) => {
    const length = bits - index;
    return `${formatIp(maskIp({ address, length }))}/${length}`;
  });
}
