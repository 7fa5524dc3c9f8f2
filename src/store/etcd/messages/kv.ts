import {
  bigint,
  bool,
  bytes,
  int64,
  MessageTable,
  type MessageOf,
  nested,
  repeated,
  text,
} from '../../../wire/protobuf/index.ts';

// The field numbers are those of etcd's mvccpb and etcdserverpb packages; unused fields are left out.

export const responseHeader = new MessageTable({ revision: int64(3) });

export const keyValue = new MessageTable({
  key: text(1),
  createRevision: int64(2),
  modRevision: int64(3),
  version: int64(4),
  value: bytes(5),
  lease: bigint(6),
});
export type KeyValue = MessageOf<typeof keyValue>;

export const rangeRequest = new MessageTable({
  key: text(1),
  rangeEnd: text(2),
  limit: int64(3),
  revision: int64(4),
  keysOnly: bool(8),
  countOnly: bool(9),
});
export type RangeRequest = MessageOf<typeof rangeRequest>;

export const rangeResponse = new MessageTable({
  header: nested(1, responseHeader),
  kvs: repeated(nested(2, keyValue)),
  more: bool(3),
  count: int64(4),
});
export type RangeResponse = MessageOf<typeof rangeResponse>;

const putRequest = new MessageTable({ key: text(1), value: bytes(2), lease: int64(3) });
const deleteRangeRequest = new MessageTable({ key: text(1), rangeEnd: text(2) });

/** Exactly one of them is set. */
export const requestOp = new MessageTable({
  range: nested(1, rangeRequest),
  put: nested(2, putRequest),
  deleteRange: nested(3, deleteRangeRequest),
});
export type RequestOp = MessageOf<typeof requestOp>;

const responseOp = new MessageTable({ range: nested(1, rangeResponse) });

/** The numbers of `Compare.CompareTarget`. */
export const COMPARE_VERSION = 0;
export const COMPARE_MOD_REVISION = 2;

/** `result` is absent, which is EQUAL. */
export const compare = new MessageTable({ target: int64(2), key: text(3), version: int64(4), modRevision: int64(6) });

export const txnRequest = new MessageTable({
  compare: repeated(nested(1, compare)),
  success: repeated(nested(2, requestOp)),
  failure: repeated(nested(3, requestOp)),
});
export type TxnRequest = MessageOf<typeof txnRequest>;

export const txnResponse = new MessageTable({
  header: nested(1, responseHeader),
  succeeded: bool(2),
  responses: repeated(nested(3, responseOp)),
});
export type TxnResponse = MessageOf<typeof txnResponse>;

export const compactionRequest = new MessageTable({ revision: int64(1) });
export const compactionResponse = new MessageTable({ header: nested(1, responseHeader) });
