import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

/** What comes after a stage. */
export type Next = (call: Call) => Promise<Answer>;

/** One step on the way of every request: it may answer itself, refuse by throwing, or go on. */
export type Stage = (call: Call, next: Next) => Promise<Answer>;

/** The stages as one function, first one outermost. */
export function pipeline(stages: readonly Stage[], last: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);
}
