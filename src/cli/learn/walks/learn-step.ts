import type { LearnStep, LearnWalk } from '../../../dashboard/index.ts';

/** A step, with what a test that types the commands has to know. */
export interface WalkStep extends LearnStep {
  /** The last command, or the manifest, is refused. */
  readonly isRefused?: true;
}

export interface Walk extends LearnWalk {
  readonly steps: readonly WalkStep[];
}
