import { responseHeader } from './kv.ts';
import { int64, MessageTable, nested, text } from '../../../wire/protobuf/index.ts';

export const leaseGrantRequest = new MessageTable({ ttlSeconds: int64(1), id: int64(2) });
export const leaseGrantResponse = new MessageTable({
  header: nested(1, responseHeader),
  ttlSeconds: int64(3),
  error: text(4),
});
