import { responseHeader } from './kv.ts';
import { int64, MessageTable, type MessageOf, nested, repeated, text } from '../../../wire/protobuf/index.ts';

export const statusRequest = new MessageTable({});
export const statusResponse = new MessageTable({
  header: nested(1, responseHeader),
  version: text(2),
  dbSize: int64(3),
  errors: repeated(text(8)),
  dbSizeInUse: int64(9),
});
export type EtcdStatus = MessageOf<typeof statusResponse>;
