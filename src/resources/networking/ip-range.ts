import { formatIp, type IpAddress, isIpv4, maskIp, parseCidr } from '../../api/index.ts';
import type { Random } from '../../base/index.ts';

export type IpFamily = 'IPv4' | 'IPv6';

const MIN_STATIC = 16n;
const MAX_STATIC = 256n;
const STATIC_SHARE = 16n;

/**
 * The addresses of a network that services can have: all but the network address and, for IPv4, the broadcast address. A
 * share at the start is reserved for explicitly requested addresses while the rest is not full (KEP-3070).
 *
 * Example: 10.96.0.0/16 contains 10.96.0.1 to 10.96.255.254, and addresses are allocated from 10.96.1.1 on.
 */
export class IpRange {
  readonly cidr: string;
  readonly family: IpFamily;
  readonly #network: bigint;
  readonly #first: bigint;
  readonly #last: bigint;
  /** The start of the part that is allocated from first. */
  readonly #dynamic: bigint;
  readonly #bytes: number;

  constructor(cidr: string) {
    const prefix = parseCidr(cidr);
    if (prefix === undefined) throw new Error(`Cannot use service network "${cidr}": it is no CIDR`);
    const network = maskIp(prefix);
    this.cidr = cidr;
    this.family = isIpv4(network) ? 'IPv4' : 'IPv6';
    this.#bytes = this.family === 'IPv4' ? 4 : 16;
    this.#network = numberOf(bytesOf(network));
    const hostBits = BigInt(this.#bytes * 8 - prefix.length);
    const size = 1n << hostBits;
    this.#first = this.#network + 1n;
    this.#last = this.#network + size - (this.family === 'IPv4' ? 2n : 1n);
    this.#dynamic = this.#first + staticShare(size);
  }

  get networkAddress(): string {
    return this.#format(this.#network);
  }

  get firstAddress(): string {
    return this.#format(this.#first);
  }

  /** Whether services can have the address. */
  contains(address: IpAddress): boolean {
    const number = this.#numberOf(address);
    return number !== undefined && number >= this.#first && number <= this.#last;
  }

  /** Every address once: the larger part from a random one on, then the smaller. */
  *candidates(random: Random): Generator<string> {
    yield* this.#walk(this.#dynamic, this.#last, random);
    yield* this.#walk(this.#first, this.#dynamic - 1n, random);
  }

  *#walk(first: bigint, last: bigint, random: Random): Generator<string> {
    const count = last - first + 1n;
    if (count <= 0n) return;
    const start = first + randomBelow(count, random);
    for (let address = start; address <= last; address++) yield this.#format(address);
    for (let address = first; address < start; address++) yield this.#format(address);
  }

  #numberOf(address: IpAddress): bigint | undefined {
    const bytes = bytesOf(address);
    return bytes.length === this.#bytes ? numberOf(bytes) : undefined;
  }

  #format(address: bigint): string {
    const bytes = Array.from({ length: this.#bytes }, () => 0);
    let rest = address;
    for (let index = this.#bytes - 1; index >= 0; index--) {
      bytes[index] = Number(rest & 0xffn);
      rest >>= 8n;
    }
    return formatIp({ bytes, isSloppy: false });
  }
}

function staticShare(size: bigint): bigint {
  if (size <= MIN_STATIC) return 0n;
  const share = size / STATIC_SHARE;
  if (share < MIN_STATIC) return MIN_STATIC;
  return share > MAX_STATIC ? MAX_STATIC : share;
}

function bytesOf(address: IpAddress): readonly number[] {
  return isIpv4(address) ? address.bytes.slice(-4) : address.bytes;
}

function numberOf(bytes: readonly number[]): bigint {
  let number = 0n;
  for (const byte of bytes) number = (number << 8n) | BigInt(byte);
  return number;
}

/** 48 random bits suffice to start a search anywhere. */
const MAX_RANDOM = 2 ** 48;

function randomBelow(bound: bigint, random: Random): bigint {
  return BigInt(random.int(Number(bound > BigInt(MAX_RANDOM) ? BigInt(MAX_RANDOM) : bound)));
}
