import type { Answer, EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

/** What comes after a stage; answers without a promise where nobody had to be waited for. */
export type Next = (call: Call) => EncodedAnswer | Promise<EncodedAnswer>;

/** One step on the way of every request: it may answer itself, refuse by throwing, or go on. */
export type Stage = (call: Call, next: Next) => EncodedAnswer | Promise<EncodedAnswer>;

/** Stands between the stages and the verbs: it may answer in their place, late, or not at all. */
export type Interference = (call: Call, next: (call: Call) => Promise<Answer>) => Promise<Answer>;

/** Puts an answer into the format that the call asks for; for stages that answer themselves. */
export type Encode = (answer: Answer, call: Call) => EncodedAnswer;

/** The stages as one function, first one outermost. */
export function pipeline(stages: readonly Stage[], last: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);
}
