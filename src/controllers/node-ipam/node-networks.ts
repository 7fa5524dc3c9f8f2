import { formatCidr, type IpAddress, isIpv4, maskIp, parseCidr } from '../../api/values/index.ts';
import type { NetworkMetrics } from './network-metrics.ts';

/** Maximum number of networks tracked per cluster CIDR, which bounds the bitmap. */
const MAX_NETWORKS = 65_536;

/** Allocates subnets of one size from a CIDR, each once. */
export class NodeNetworks {
  readonly #base: bigint;
  readonly #length: number;
  readonly #bytes: number;
  readonly #count: number;
  readonly #used = new Set<number>();
  #next = 0;
  /** Receives allocations and releases. */
  metrics: NetworkMetrics | undefined;

  /** `cidr` is the network to divide, `length` the prefix length of the subnets. */
  constructor(cidr: string, length: number) {
    const prefix = parseCidr(cidr);
    if (prefix === undefined) throw new Error(`Cannot hand out networks of "${cidr}": it is no CIDR`);
    this.#bytes = isIpv4(prefix.address) ? 4 : 16;
    if (length < prefix.length || length > this.#bytes * 8)
      throw new Error(`Cannot hand out networks of "${cidr}": a mask of ${length} bits does not fit it`);
    this.#base = numberOf(maskIp(prefix));
    this.#length = length;
    this.#count = Math.min(MAX_NETWORKS, 2 ** (length - prefix.length));
  }

  /** The number of subnets, and of allocated ones. */
  get size(): { readonly count: number; used(): number } {
    return { count: this.#count, used: () => this.#used.size };
  }

  /** The next free subnet; undefined when all are allocated. */
  take(): string | undefined {
    for (let tried = 0; tried < this.#count; tried++) {
      const index = (this.#next + tried) % this.#count;
      if (this.#used.has(index)) continue;
      this.#used.add(index);
      this.#next = (index + 1) % this.#count;
      this.metrics?.allocated(tried);
      return this.#format(index);
    }
    return undefined;
  }

  /** Marks all subnets that overlap the CIDR as allocated or free. */
  mark(cidr: string, isTaken: boolean): void {
    const [first, last] = this.#indexes(cidr);
    const before = this.#used.size;
    for (let index = first; index <= last; index++) {
      if (isTaken) this.#used.add(index);
      else this.#used.delete(index);
    }
    if (this.#used.size > before) this.metrics?.occupied(this.#used.size - before);
    else if (this.#used.size < before) this.metrics?.released(before - this.#used.size);
  }

  /** Whether the CIDR lies within this network. */
  has(cidr: string): boolean {
    const prefix = parseCidr(cidr);
    if (prefix === undefined || isIpv4(prefix.address) !== (this.#bytes === 4)) return false;
    const index = Number((numberOf(maskIp(prefix)) - this.#base) / this.#size);
    return prefix.length >= this.#length && index >= 0 && index < this.#count;
  }

  get #size(): bigint {
    return 1n << BigInt(this.#bytes * 8 - this.#length);
  }

  #indexes(cidr: string): readonly [number, number] {
    const prefix = parseCidr(cidr);
    if (prefix === undefined || isIpv4(prefix.address) !== (this.#bytes === 4)) return [0, -1];
    const first = numberOf(maskIp(prefix));
    const last = first + (1n << BigInt(this.#bytes * 8 - prefix.length)) - 1n;
    const end = this.#base + this.#size * BigInt(this.#count) - 1n;
    if (last < this.#base || first > end) return [0, -1];
    const from = first < this.#base ? this.#base : first;
    const to = last > end ? end : last;
    return [Number((from - this.#base) / this.#size), Number((to - this.#base) / this.#size)];
  }

  #format(index: number): string {
    const number = this.#base + this.#size * BigInt(index);
    const bytes = Array.from({ length: this.#bytes }, (_, at) =>
      Number((number >> BigInt(8 * (this.#bytes - 1 - at))) & 0xffn),
    );
    return formatCidr({ address: { bytes, isSloppy: false }, length: this.#length, isSloppy: false });
  }
}

function numberOf(address: IpAddress): bigint {
  const bytes = isIpv4(address) ? address.bytes.slice(-4) : address.bytes;
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
