import type { ProgramPart } from '../program-part.ts';

/** A kind that a part reads: all its objects, or those of a namespace. */
export interface ReadKind {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
}

/** How a part begins. */
export interface PartStart {
  /** It has nothing to do. It is then not begun, and has no caches, before it is woken. */
  readonly isAsleep: boolean;
  /** Up to this resourceVersion, another run of the part had seen to everything; undefined where there was none. */
  readonly seenUpTo?: string;
}

/** Knows which parts have nothing to do for now: only who runs beside the server can tell. */
export interface Dormancy {
  startOf(part: ProgramPart, wake: () => void): PartStart;
}
