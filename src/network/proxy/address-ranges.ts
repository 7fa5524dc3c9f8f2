import { formatCidr, formatIp, type IpPrefix, isSameIp, maskIp, parseCidr, parseIp } from '../../api/values/index.ts';

/** Whether an address is in a range; false where one of them cannot be read. */
export function isInRange(address: string, range: string): boolean {
  const prefix = parseCidr(range);
  const ip = parseIp(address);
  if (prefix === undefined || ip === undefined || ip.bytes.length !== prefix.address.bytes.length) return false;
  return isSameIp(maskIp({ address: ip, length: prefix.length }), maskIp(prefix));
}

/** Ranges and addresses without those that are in another: nft takes no intervals that overlap. */
export function withoutContained(ranges: readonly string[]): readonly string[] {
  const prefixes = new Map(
    ranges.flatMap((text): [string, IpPrefix][] => {
      const prefix = prefixOf(text);
      return prefix === undefined ? [] : [[formatCidr(prefix), prefix]];
    }),
  );
  return [...prefixes].flatMap(([text, prefix]) => {
    const isContained = [...prefixes].some(
      ([other, { length }]) => other !== text && length < prefix.length && isInRange(formatIp(prefix.address), other),
    );
    return isContained ? [] : [text];
  });
}

function prefixOf(text: string): IpPrefix | undefined {
  if (text.includes('/')) return parseCidr(text);
  const address = parseIp(text);
  return address === undefined ? undefined : { address, length: address.bytes.length * 8, isSloppy: false };
}
