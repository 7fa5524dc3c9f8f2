import type { Answer, EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

/** All that a transport needs from the server behind it. */
export interface RequestHandler {
  /**
   * Runs the stages; answers at once where nobody has to be waited for. Never throws: failures come back as a Status. Assumes
   * that the call is finished in the end.
   */
  handle(call: Call): EncodedAnswer | Promise<EncodedAnswer>;
  /** Puts an answer of the transport's own into the format the call asks for. */
  encode(answer: Answer, call: Call): EncodedAnswer;
}
