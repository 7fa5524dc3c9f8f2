import { formatIp, type IpAddress, maskIp, parseCidr, parseIp } from '../../api/values/index.ts';
import { CniError } from '../cni-error.ts';
import type { IpRange } from '../running/attachment.ts';

/** Addresses of a network, from the first to the last. */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
  /** Never given to containers. */
  readonly gateway: bigint;
  /** Bits of the network. */
  readonly length: number;
  /** Bits of an address: 32 or 128. */
  readonly bits: number;
}

/** Reads a range: without ends it is all of the network but its own address and, of IPv4, the broadcast address; the gateway is the first. */
export function readRange({ subnet, rangeStart, rangeEnd, gateway }: IpRange): AddressRange {
  const prefix = parseCidr(subnet);
  if (prefix === undefined || prefix.isSloppy)
    throw wrong(`subnet ${JSON.stringify(subnet)} is no network such as 10.1.0.0/16`);
  const bits = prefix.address.bytes.length * 8;
  if (prefix.length > bits - 2) throw wrong(`subnet "${subnet}" is too small to allocate from`);
  const network = numberOf(maskIp(prefix));
  const end = network + (1n << BigInt(bits - prefix.length)) - 1n;
  const within = (text: string | undefined, name: string, standard: bigint): bigint => {
    if (text === undefined) return standard;
    const address = parseIp(text);
    if (address === undefined || address.bytes.length * 8 !== bits)
      throw wrong(`${name} ${JSON.stringify(text)} is no address of its family`);
    const number = numberOf(address);
    if (number < network || number > end) throw wrong(`${name} "${text}" is not in subnet "${subnet}"`);
    return number;
  };
  const first = within(rangeStart, 'rangeStart', network + 1n);
  const last = within(rangeEnd, 'rangeEnd', bits === 32 ? end - 1n : end);
  if (first > last) throw wrong(`rangeStart "${rangeStart}" is after rangeEnd "${rangeEnd}"`);
  return { first, last, gateway: within(gateway, 'gateway', network + 1n), length: prefix.length, bits };
}

export function isIn(range: AddressRange, address: bigint): boolean {
  return address >= range.first && address <= range.last && address !== range.gateway;
}

/** How many addresses containers can have. */
export function sizeOf({ first, last, gateway }: AddressRange): bigint {
  return last - first + 1n - (gateway >= first && gateway <= last ? 1n : 0n);
}

export function numberOf({ bytes }: Pick<IpAddress, 'bytes'>): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

/** The address in its canonical form. */
export function addressText(number: bigint, bits: number): string {
  const bytes = Array.from({ length: bits / 8 }, (_, at) => Number((number >> BigInt(bits - 8 * (at + 1))) & 255n));
  return formatIp({ bytes, isSloppy: false });
}

function wrong(problem: string): CniError {
  return new CniError('InvalidConfiguration', 'invalid range of addresses', { details: problem });
}
