import type { Method } from '../../../wire/grpc/index.ts';
import {
  bigint,
  type Fields,
  int64,
  type Message,
  MessageTable,
  nested,
  repeated,
  text,
} from '../../../wire/protobuf/index.ts';
import {
  compactionRequest,
  compactionResponse,
  rangeRequest,
  rangeResponse,
  responseHeader,
  txnRequest,
  txnResponse,
} from './kv.ts';

const statusRequest = new MessageTable({});
const statusResponse = new MessageTable({
  header: nested(1, responseHeader),
  version: text(2),
  dbSize: int64(3),
  errors: repeated(text(8)),
  dbSizeInUse: int64(9),
});

const leaseGrantRequest = new MessageTable({ ttlSeconds: int64(1), id: int64(2) });
const leaseGrantResponse = new MessageTable({
  header: nested(1, responseHeader),
  ttlSeconds: int64(3),
  error: text(4),
});

const leaseTimeToLiveRequest = new MessageTable({ id: bigint(1) });
/** `ttlSeconds` is the remaining time; -1 when the lease no longer exists. */
const leaseTimeToLiveResponse = new MessageTable({ header: nested(1, responseHeader), ttlSeconds: int64(3) });

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Message<Request>, Message<Response>> {
  return { path: `/etcdserverpb.${path}`, request, response };
}

export const RANGE = method('KV/Range', rangeRequest, rangeResponse);
export const TXN = method('KV/Txn', txnRequest, txnResponse);
export const COMPACT = method('KV/Compact', compactionRequest, compactionResponse);
export const LEASE_GRANT = method('Lease/LeaseGrant', leaseGrantRequest, leaseGrantResponse);
export const LEASE_TIME_TO_LIVE = method('Lease/LeaseTimeToLive', leaseTimeToLiveRequest, leaseTimeToLiveResponse);
export const STATUS = method('Maintenance/Status', statusRequest, statusResponse);

/** The streaming method. */
export const WATCH_PATH = '/etcdserverpb.Watch/Watch';
