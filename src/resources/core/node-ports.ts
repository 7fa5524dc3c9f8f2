import { type ApiObject, decodeBase64, encodeBase64, ValueError } from '../../api/index.ts';
import type { RangeAllocation } from '../../api/types/core/v1.d.ts';
import type { Alongside, ObjectsOf } from '../../apiserver/index.ts';
import type { Random } from '../../base/index.ts';
import type { KindEnvironment, PortRange } from '../kind-environment.ts';

const NAME = 'servicenodeports';
const MIN_STATIC = 16;
const MAX_STATIC = 128;
const STATIC_SHARE = 32;

const TAKEN = 'provided port is already allocated';

/** The ports of a dry run, which no real allocation has. */
const DRY_RUN_BASE = 32_768;

/**
 * The node ports of services: one bit each in a single object, in upstream's layout, written in the transaction that writes
 * the service.
 */
export class NodePorts {
  readonly #objects: ObjectsOf;
  readonly #range: PortRange;
  readonly #random: Random;

  constructor(environment: KindEnvironment) {
    this.#objects = environment.objects.of('', 'rangeallocations');
    this.#range = environment.nodePorts;
    this.#random = environment.random;
  }

  /** A snapshot of the free ports to choose from. */
  async open(options: { readonly dryRun: boolean }): Promise<PortChoice> {
    const { bits } = await this.#read();
    return new PortChoice(bits, { range: this.#range, random: this.#random, dryRun: options.dryRun });
  }

  /** Allocates and releases ports; if one is taken by now, the write is prepared again. */
  async changing(taken: readonly number[], released: readonly number[]): Promise<Alongside> {
    if (taken.length === 0 && released.length === 0) return { conditions: [], operations: [] };
    const { bits, revision, metadata } = await this.#read();
    const key = this.#objects.keyOf('', NAME);
    let next = bits;
    for (const port of released) if (this.#holds(port)) next &= ~this.#bit(port);
    for (const port of taken) {
      const bit = this.#bit(port);
      if ((next & bit) !== 0n) return { conditions: [{ key, modRevision: 0 }], operations: [] }; // never true, because it exists
      next |= bit;
    }
    const object: ApiObject = {
      kind: 'RangeAllocation',
      apiVersion: 'v1',
      metadata,
      range: `${this.#range.first}-${this.#range.last}`,
      data: encodeBase64(bytesOf(next)),
    };
    return { conditions: [{ key, modRevision: revision }], operations: [this.#objects.putting(key, object)] };
  }

  #holds(port: number): boolean {
    return port >= this.#range.first && port <= this.#range.last;
  }

  #bit(port: number): bigint {
    return 1n << BigInt(port - this.#range.first);
  }

  async #read(): Promise<{
    readonly bits: bigint;
    readonly revision: number;
    readonly metadata: ApiObject['metadata'];
  }> {
    const found = await this.#objects.newest('', NAME);
    if (found === undefined) return { bits: 0n, revision: 0, metadata: {} };
    const data = (found as unknown as RangeAllocation).data ?? '';
    const bytes = decodeBase64(data);
    if (bytes instanceof ValueError) throw bytes;
    return { bits: numberOf(bytes), revision: Number(found.metadata.resourceVersion), metadata: found.metadata };
  }
}

/** Chooses ports for one service, each only once. */
export class PortChoice {
  #bits: bigint;
  readonly #range: PortRange;
  readonly #random: Random;
  readonly #dryRun: boolean;
  readonly #chosen: number[] = [];

  constructor(bits: bigint, options: { readonly range: PortRange; readonly random: Random; readonly dryRun: boolean }) {
    this.#bits = bits;
    this.#range = options.range;
    this.#random = options.random;
    this.#dryRun = options.dryRun;
  }

  /** Why a port is not available; undefined if it is. */
  take(port: number): string | undefined {
    const { first, last } = this.#range;
    if (this.#chosen.includes(port)) return TAKEN;
    if (port < first || port > last) {
      if (this.#dryRun) return this.#choose(port); // a dry run only considers allocated ports
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    const bit = 1n << BigInt(port - first);
    if ((this.#bits & bit) !== 0n) return TAKEN;
    this.#bits |= bit;
    return this.#choose(port);
  }

  #choose(port: number): undefined {
    this.#chosen.push(port);
  }

  /** Any free port; undefined if there is none. */
  takeAny(): number | undefined {
    if (this.#dryRun) {
      const next = Math.max(...(this.#chosen.length === 0 ? [DRY_RUN_BASE] : [0, ...this.#chosen])) + 1;
      this.#choose(next);
      return next | 0; // the field has 32 bits
    }
    const { first, last } = this.#range;
    const split = first + staticShare(last - first + 1);
    return this.#takeBetween(split, last) ?? this.#takeBetween(first, split - 1);
  }

  #takeBetween(first: number, last: number): number | undefined {
    const count = last - first + 1;
    if (count <= 0) return undefined;
    const start = this.#random.int(count);
    for (let step = 0; step < count; step++) {
      const port = first + ((start + step) % count);
      if (this.take(port) === undefined) return port;
    }
    return undefined;
  }
}

/** The ports at the start are reserved for explicit requests (KEP-3668). */
function staticShare(size: number): number {
  if (size <= MIN_STATIC) return 0;
  return Math.min(MAX_STATIC, Math.max(MIN_STATIC, Math.floor(size / STATIC_SHARE)));
}

function numberOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** Most significant byte first, without leading zeros, as Go's big integers print. */
function bytesOf(number: bigint): Uint8Array {
  if (number === 0n) return new Uint8Array();
  const hex = number.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}
