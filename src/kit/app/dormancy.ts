import type { ProgramPart } from '../program-part.ts';

/** A kind that a part reads: in all namespaces or in one. */
export interface ReadKind {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
}

/** How a part starts. */
export interface PartStart {
  /** True if the part has nothing to do. It then starts, and gets caches, only when it is woken. */
  readonly isAsleep: boolean;
  /** An earlier run of the part has handled everything up to this resourceVersion; undefined if there was none. */
  readonly seenUpTo?: string;
}

/** Knows which parts have nothing to do yet. Only a program that runs beside the API server can know this. */
export interface Dormancy {
  startOf(part: ProgramPart, wake: () => void): PartStart;
}
