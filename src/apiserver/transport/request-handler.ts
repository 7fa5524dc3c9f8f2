import type { Answer, EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

/** What a transport needs from the server behind it. */
export interface RequestHandler {
  /**
   * Runs the stages; synchronous when nothing has to be awaited. Never throws: failures are returned as Statuses. Assumes that the call
   * will be finished.
   */
  handle(call: Call): EncodedAnswer | Promise<EncodedAnswer>;
  /** Encodes an answer of the transport itself in the format that the call asks for. */
  encode(answer: Answer, call: Call): EncodedAnswer;
}
