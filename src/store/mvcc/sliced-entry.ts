import type { Entry, Revision } from '../store.ts';

/** A part of bytes that were read together. */
export interface Slice {
  readonly of: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * An entry whose value is a slice of what the store was read from. It becomes an array of its own when it is first asked for:
 * of the objects of a store that has just been opened most never are, and such an array takes 100 bytes.
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

/** How many bytes the value of an entry has. */
export function valueSize(entry: Entry): number {
  return entry instanceof SlicedEntry ? entry.size : entry.value.byteLength;
}

/** Copies the value of an entry. */
export function copyValue(entry: Entry, target: Buffer, at: number): void {
  if (entry instanceof SlicedEntry) entry.copyTo(target, at);
  else target.set(entry.value, at);
}
