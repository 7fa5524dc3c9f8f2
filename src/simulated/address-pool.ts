import { formatIp, type IpPrefix, maskIp, parseCidr, parseIp } from '../api/index.ts';
import { RuntimeError } from '../node/index.ts';

/** The largest number of addresses of a pool, however large its range is. */
const MAX_ADDRESSES = 65_536;
/** Skips the network's address and the gateway's. */
const FIRST = 2;

/** The pod addresses of one range. Released addresses are reused last. */
export class AddressPool {
  readonly #base: bigint;
  readonly #width: number;
  readonly #size: number;
  readonly #text: string;
  readonly #taken = new Set<string>();
  #next = FIRST;

  constructor(cidr: string) {
    const prefix = parseCidr(cidr);
    if (prefix === undefined) throw new Error(`Cannot hand out addresses of "${cidr}": it is not a CIDR`);
    this.#text = cidr;
    this.#width = prefix.address.bytes.length;
    this.#base = numberOf(maskIp(prefix).bytes);
    this.#size = sizeOf(prefix);
    if (this.#size <= FIRST) throw new Error(`Cannot hand out addresses of "${cidr}": it is too small`);
  }

  take(): string {
    for (let tries = FIRST; tries < this.#size; tries++) {
      const address = this.#address(this.#next);
      this.#next = this.#next + 1 < this.#size ? this.#next + 1 : FIRST;
      if (this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
    throw new RuntimeError('Unavailable', `no IP addresses available in range set: ${this.#text}`);
  }

  /** Marks an address that is already in use. Returns whether it belongs to the pool and was free. */
  reserve(address: string): boolean {
    const parsed = parseIp(address);
    if (parsed === undefined || parsed.bytes.length !== this.#width || this.#taken.has(address)) return false;
    const offset = numberOf(parsed.bytes) - this.#base;
    if (offset < BigInt(FIRST) || offset >= BigInt(this.#size)) return false;
    this.#taken.add(address);
    return true;
  }

  release(address: string): void {
    this.#taken.delete(address);
  }

  #address(offset: number): string {
    const bytes: number[] = [];
    let rest = this.#base + BigInt(offset);
    for (let index = 0; index < this.#width; index++) {
      bytes.unshift(Number(rest & 0xffn));
      rest >>= 8n;
    }
    return formatIp({ bytes, isSloppy: false });
  }
}

/** The last address of an IPv4 network is for broadcasts. */
function sizeOf({ address, length }: IpPrefix): number {
  const bits = address.bytes.length * 8 - length;
  return Math.min(2 ** bits, MAX_ADDRESSES) - (address.bytes.length === 4 ? 1 : 0);
}

function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((total, byte) => (total << 8n) | BigInt(byte), 0n);
}
