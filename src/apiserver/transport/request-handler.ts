import type { Answer, EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';

/** All that a transport needs from the server behind it. */
export interface RequestHandler {
  /** Runs the stages. Never throws: failures come back as a Status. */
  handle(call: Call): Promise<Answer>;
  /** Puts an answer into the format the call asks for. */
  encode(answer: Answer, call: Call): EncodedAnswer;
}
