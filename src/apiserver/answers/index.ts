// What the rest of the server may use: negotiation before a verb, encoding after it.
export type {
  Answer,
  BytesAnswer,
  EncodedAnswer,
  ListAnswer,
  ListMetadata,
  ObjectAnswer,
  StatusAnswer,
  StreamAnswer,
  TakeOver,
  UpgradeAnswer,
  WatchAnswer,
  WatchEvent,
} from './answer.ts';
export { AnswerEncoder, type AnswerEncoderOptions } from './answer-encoder.ts';
export { Negotiator } from './negotiator.ts';
export type { Conversion, Format, Representation } from './representation.ts';
