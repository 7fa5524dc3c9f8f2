import { formatIp, isIpv4, parseIp } from '../../api/values/index.ts';

/** The number of addresses per family. */
const COUNT = 65_534;

/**
 * A free address: a preferred one if possible, otherwise the first. They start at 198.18.0.1 (RFC 2544: benchmarking)
 * and 2001:db8::1 (RFC 3849: documentation).
 */
export function freeAddress(
  family: string,
  { taken, preferred }: { readonly taken: ReadonlySet<string>; readonly preferred: readonly string[] },
): string | undefined {
  const liked = preferred.find((address) => isOf(family, address) && !taken.has(address));
  if (liked !== undefined) return liked;
  for (let number = 1; number <= COUNT; number++) {
    const address = nth(family, number);
    if (!taken.has(address)) return address;
  }
  return undefined;
}

function nth(family: string, number: number): string {
  if (family === 'IPv6') return `2001:db8::${number.toString(16)}`;
  return `198.18.${number >> 8}.${number & 0xff}`;
}

/** Whether the text is an address of the family in canonical form. */
function isOf(family: string, text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && isIpv4(address) === (family === 'IPv4') && formatIp(address) === text;
}
