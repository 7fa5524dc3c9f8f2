import { formatIp, isIpv4, parseIp } from '../../api/values/index.ts';

/** How many addresses there are of each family. */
const COUNT = 65_534;

/**
 * An address that nobody has: one of the preferred, else the first. They are 198.18.0.1 and on (RFC 2544: for measurements) and
 * 2001:db8::1 and on (RFC 3849: for documents).
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

/** Whether it is an address of the family, in the form that others of it are compared with. */
function isOf(family: string, text: string): boolean {
  const address = parseIp(text);
  return address !== undefined && isIpv4(address) === (family === 'IPv4') && formatIp(address) === text;
}
