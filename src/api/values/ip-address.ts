/** An IP address: four or sixteen bytes. IPv4 in IPv6 (`::ffff:1.2.3.4`) has sixteen but prints as IPv4, as in Go. */
export interface IpAddress {
  readonly bytes: readonly number[];
  /** In a form that Go no longer accepts: an octet with leading zeros, or a group of more than four digits. */
  readonly isSloppy: boolean;
}

export interface IpPrefix {
  readonly address: IpAddress;
  readonly length: number;
  /** The address is sloppy, or the length has leading zeros. */
  readonly isSloppy: boolean;
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** Parses an address as leniently as Kubernetes always did; without a zone. */
export function parseIp(text: string): IpAddress | undefined {
  const mark = /[.:]/.exec(text)?.[0];
  if (mark === undefined) return undefined;
  return mark === '.' ? parseIpv4(text) : parseIpv6(text);
}

/** Reads `address/length`. */
export function parseCidr(text: string): IpPrefix | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIpv4(text.slice(0, slash)) ?? parseIpv6(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]+$/.test(digits)) return undefined;
  const length = Number(digits);
  if (length > address.bytes.length * 8) return undefined;
  return { address, length, isSloppy: address.isSloppy || (digits.length > 1 && digits.startsWith('0')) };
}

/** Whether the address is IPv4-mapped IPv6. */
export function isIpv4InIpv6({ bytes }: IpAddress): boolean {
  return bytes.length === 16 && bytes.every((byte, at) => at >= 12 || byte === (at < 10 ? 0 : 0xff));
}

/** Whether the address is IPv4, including IPv4-mapped IPv6. */
export function isIpv4(address: IpAddress): boolean {
  return address.bytes.length === 4 || isIpv4InIpv6(address);
}

/** The canonical form: RFC 5952, and dotted for IPv4, including IPv4-mapped IPv6. */
export function formatIp(address: IpAddress): string {
  return isIpv4(address) ? address.bytes.slice(-4).join('.') : formatIpv6(address);
}

/** The canonical form as IPv6: `::ffff:1.2.3.4` keeps its prefix. */
export function formatIpv6(address: IpAddress): string {
  if (isIpv4InIpv6(address)) return `::ffff:${formatIp(address)}`;
  const groups = Array.from(
    { length: 8 },
    (_, at) => (address.bytes[2 * at] ?? 0) * 256 + (address.bytes[2 * at + 1] ?? 0),
  );
  const gap = longestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (gap.length < 2) return hex.join(':');
  return `${hex.slice(0, gap.start).join(':')}::${hex.slice(gap.start + gap.length).join(':')}`;
}

/** `address/length` in canonical form, with the address unchanged. */
export function formatInterfaceAddress({ address, length }: IpPrefix): string {
  const isMapped = isIpv4InIpv6(address) && length > IPV4_BITS;
  return `${formatIp(address)}/${isMapped ? length - (IPV6_BITS - IPV4_BITS) : length}`;
}

/** `address/length` in canonical form, with the bits after the length cleared. */
export function formatCidr(prefix: IpPrefix): string {
  const address = maskIp(prefix);
  const isMapped = isIpv4InIpv6(address);
  return `${formatIp(address)}/${isMapped ? prefix.length - (IPV6_BITS - IPV4_BITS) : prefix.length}`;
}

/** The first address of the network: the bits after the length cleared. */
export function maskIp({ address, length }: Pick<IpPrefix, 'address' | 'length'>): IpAddress {
  const bytes = address.bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, length - 8 * at))) & 0xff);
  return { bytes, isSloppy: address.isSloppy };
}

export function isSameIp(left: IpAddress, right: IpAddress): boolean {
  return formatIpv6Bytes(left) === formatIpv6Bytes(right);
}

function formatIpv6Bytes(address: IpAddress): string {
  return (isIpv4(address) ? address.bytes.slice(-4) : address.bytes).join('.');
}

function parseIpv4(text: string): IpAddress | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^[0-9]+$/.test(octet) && Number(octet) <= 255)) return undefined;
  const isSloppy = octets.some((octet) => octet.length > 1 && octet.startsWith('0'));
  return { bytes: octets.map(Number), isSloppy };
}

function parseIpv6(text: string): IpAddress | undefined {
  const [head = '', tail, ...more] = text.split('::');
  if (more.length > 0) return undefined;
  const before = readGroups(head, tail === undefined);
  const after = readGroups(tail ?? '', true);
  if (before === undefined || after === undefined) return undefined;
  const missing = 16 - before.bytes.length - after.bytes.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  const zeros = Array.from({ length: missing }, () => 0);
  return { bytes: [...before.bytes, ...zeros, ...after.bytes], isSloppy: before.isSloppy || after.isSloppy };
}

/** Hexadecimal groups between colons; the last may be an IPv4 address if `mayEndInIpv4`. */
function readGroups(text: string, mayEndInIpv4: boolean): IpAddress | undefined {
  if (text === '') return { bytes: [], isSloppy: false };
  const groups = text.split(':');
  const bytes: number[] = [];
  let isSloppy = false;
  for (const [at, group] of groups.entries()) {
    if (/^[0-9a-fA-F]+$/.test(group) && Number.parseInt(group, 16) <= 0xffff) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
      isSloppy ||= group.length > 4;
      continue;
    }
    const embedded = mayEndInIpv4 && at === groups.length - 1 ? parseIpv4(group) : undefined;
    if (embedded === undefined) return undefined;
    bytes.push(...embedded.bytes);
    isSloppy ||= embedded.isSloppy;
  }
  return { bytes, isSloppy };
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  let start = 0;
  for (const [at, group] of groups.entries()) {
    if (group !== 0) start = at + 1;
    else if (at + 1 - start > longest.length) longest = { start, length: at + 1 - start };
  }
  return longest;
}
