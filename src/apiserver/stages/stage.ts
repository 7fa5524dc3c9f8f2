import type { Answer, EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

/** The rest of the pipeline after a stage; synchronous when nothing has to be awaited. */
export type Next = (call: Call) => EncodedAnswer | Promise<EncodedAnswer>;

/** One stage of the pipeline of every request: it answers itself, rejects by throwing, or calls `next`. */
export type Stage = (call: Call, next: Next) => EncodedAnswer | Promise<EncodedAnswer>;

/** Injects faults between the stages and the verbs: it may answer in their place, late, or never. */
export type Interference = (call: Call, next: (call: Call) => Promise<Answer>) => Promise<Answer>;

/** Encodes an answer in the format that the call asks for; for stages that answer themselves. */
export type Encode = (answer: Answer, call: Call) => EncodedAnswer;

/** Combines the stages into one function, the first one outermost. */
export function pipeline(stages: readonly Stage[], last: Next): Next {
  return stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);
}
