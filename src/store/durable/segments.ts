import type { Revision } from '../store.ts';
import type { SegmentHeader } from './segment-header.ts';

/** One file of the log. */
export interface Segment extends SegmentHeader {
  readonly name: string;
  /** The version of its format. */
  readonly version: number;
  /** Up to the end of its last frame. */
  bytes: number;
}

/** The log's files, oldest first; the last one is being written. */
export class Segments {
  #all: Segment[];

  constructor(all: readonly Segment[]) {
    this.#all = [...all];
  }

  get count(): number {
    return this.#all.length;
  }

  get newest(): Segment | undefined {
    return this.#all.at(-1);
  }

  get bytes(): number {
    return this.#all.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  add(segment: Segment): void {
    this.#all.push(segment);
  }

  /** The segments that are of no use to one who has a checkpoint at `revision`. The newest is always of use. */
  coveredBy(revision: Revision): Segment[] {
    return this.#all.filter((_segment, index) => (this.#all[index + 1]?.after ?? Infinity) <= revision);
  }

  forget(gone: readonly Segment[]): void {
    this.#all = this.#all.filter((segment) => !gone.includes(segment));
  }
}
