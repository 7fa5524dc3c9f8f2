import { createHash, type Hash } from 'node:crypto';
import { StoreError } from '../../errors.ts';
import type { Entry } from '../../store.ts';
import type { Page } from '../range-pages.ts';

/** Keys per checksum: a difference is reported as a range of this many keys. */
const SECTION_LENGTH = 1000;

interface Section {
  readonly first: string;
  readonly last: string;
  readonly count: number;
  readonly digest: string;
}

interface LeasedKey {
  readonly lease: bigint;
  readonly digest: string;
  readonly deadlineMs: number;
}

/**
 * Remembers what was copied in as little memory as possible, and checks whether a store has it.
 *
 * Keys without a lease share one checksum per thousand; keys with a lease, which may expire before the check, are
 * remembered one by one.
 */
export class CopyCheck {
  readonly #expected = new Sections();
  readonly #leased = new Map<string, LeasedKey>();

  /** Must be called in key order. */
  expect(key: string, value: Uint8Array, lease?: { readonly id: number; readonly deadlineMs: number }): void {
    if (lease === undefined) this.#expected.add(key, value);
    else this.#leased.set(key, { lease: BigInt(lease.id), digest: digestOf(value), deadlineMs: lease.deadlineMs });
  }

  /** Throws `Damaged` with the first keys that differ from the copy. `nowMs` is when reading began. */
  async compare(pages: AsyncIterable<Pick<Page, 'entries' | 'leases'>>, nowMs: number): Promise<void> {
    const found = new Sections();
    for await (const { entries, leases } of pages) {
      for (const entry of entries) {
        const lease = leases.get(entry.key);
        if (lease === undefined) found.add(entry.key, entry.value);
        else this.#compareLeased(entry, lease);
      }
    }
    const expected = this.#expected.finish();
    const actual = found.finish();
    for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
      const wanted = expected[index];
      const is = actual[index];
      if (wanted?.digest !== is?.digest || wanted?.count !== is?.count) throw different((wanted ?? is) as Section);
    }
    for (const [key, { deadlineMs }] of this.#leased)
      if (deadlineMs > nowMs) throw different({ first: key, last: key });
  }

  #compareLeased({ key, value }: Entry, lease: bigint): void {
    const wanted = this.#leased.get(key);
    if (wanted?.lease !== lease || wanted.digest !== digestOf(value)) throw different({ first: key, last: key });
    this.#leased.delete(key);
  }
}

class Sections {
  readonly #done: Section[] = [];
  #hash: Hash = createHash('sha256');
  #first = '';
  #last = '';
  #count = 0;

  add(key: string, value: Uint8Array): void {
    if (this.#count === 0) this.#first = key;
    this.#last = key;
    this.#count += 1;
    this.#hash.update(`${Buffer.byteLength(key)} ${value.byteLength} ${key}`).update(value);
    if (this.#count === SECTION_LENGTH) this.#endSection();
  }

  finish(): readonly Section[] {
    if (this.#count > 0) this.#endSection();
    return this.#done;
  }

  #endSection(): void {
    const digest = this.#hash.digest('base64');
    this.#done.push({ first: this.#first, last: this.#last, count: this.#count, digest });
    this.#hash = createHash('sha256');
    this.#count = 0;
  }
}

function digestOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('base64');
}

function different({ first, last }: Pick<Section, 'first' | 'last'>): StoreError {
  const keys = first === last ? JSON.stringify(first) : `keys ${JSON.stringify(first)} to ${JSON.stringify(last)}`;
  return new StoreError('Damaged', `Cannot confirm the copy: in etcd, ${keys} are not as they were copied`);
}
