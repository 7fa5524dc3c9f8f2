import type { Entry, Revision } from '../store.ts';

/** A part of a buffer that was read in one piece. */
export interface Slice {
  readonly of: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * An entry whose value is a slice of the buffer it was read from. The slice becomes a `Uint8Array` when it is first
 * read: in a store that was just opened most values never are, and such an array takes 100 bytes.
 */
export class SlicedEntry implements Entry {
  readonly key: string;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  #bytes: Buffer;
  #start: number;
  #end: number;

  constructor(key: string, { of, start, end }: Slice, revisions: Pick<Entry, 'createRevision' | 'modRevision'>) {
    this.key = key;
    this.createRevision = revisions.createRevision;
    this.modRevision = revisions.modRevision;
    this.#bytes = of;
    this.#start = start;
    this.#end = end;
  }

  get value(): Uint8Array {
    if (this.#start !== 0 || this.#end !== this.#bytes.length) {
      this.#bytes = this.#bytes.subarray(this.#start, this.#end);
      this.#start = 0;
      this.#end = this.#bytes.length;
    }
    return this.#bytes;
  }

  get size(): number {
    return this.#end - this.#start;
  }

  copyTo(target: Buffer, at: number): void {
    this.#bytes.copy(target, at, this.#start, this.#end);
  }
}

/** Size of an entry's value in bytes. */
export function valueSize(entry: Entry): number {
  return entry instanceof SlicedEntry ? entry.size : entry.value.byteLength;
}

/** Copies an entry's value into `target`. */
export function copyValue(entry: Entry, target: Buffer, at: number): void {
  if (entry instanceof SlicedEntry) entry.copyTo(target, at);
  else target.set(entry.value, at);
}
