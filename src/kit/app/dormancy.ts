import type { Part } from '../part.ts';

/** A kind that a part reads: all its objects, or those of a namespace. */
export interface ReadKind {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
}

/** Knows which parts have nothing to do for now: only who runs beside the server can tell. */
export interface Dormancy {
  /** Whether the part has nothing to do. It is then not begun, and has no caches, before `wake` is called. */
  sleeps(part: Part, wake: () => void): boolean;
}
