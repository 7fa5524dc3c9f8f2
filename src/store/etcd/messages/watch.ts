import { keyValue, responseHeader } from './kv.ts';
import { bool, int64, MessageTable, type MessageOf, nested, repeated, text } from '../../../wire/protobuf/index.ts';

const createRequest = new MessageTable({
  key: text(1),
  rangeEnd: text(2),
  startRevision: int64(3),
  prevKv: bool(6),
  fragment: bool(8),
});

const progressRequest = new MessageTable({});

/** Exactly one of them is set. Each watch has its own stream, so ending the stream cancels the watch. */
export const watchRequest = new MessageTable({
  create: nested(1, createRequest),
  progress: nested(3, progressRequest),
});

/** The number of `Event.EventType`; PUT is 0 and therefore absent. */
export const EVENT_DELETE = 1;

const event = new MessageTable({ type: int64(1), kv: nested(2, keyValue), prevKv: nested(3, keyValue) });
export type WatchEvent = MessageOf<typeof event>;

export const watchResponse = new MessageTable({
  header: nested(1, responseHeader),
  created: bool(3),
  canceled: bool(4),
  compactRevision: int64(5),
  cancelReason: text(6),
  fragment: bool(7),
  events: repeated(nested(11, event)),
});
export type WatchResponse = MessageOf<typeof watchResponse>;
