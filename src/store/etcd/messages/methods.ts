import { compactionRequest, compactionResponse, rangeRequest, rangeResponse, txnRequest, txnResponse } from './kv.ts';
import { leaseGrantRequest, leaseGrantResponse } from './lease.ts';
import { statusRequest, statusResponse } from './maintenance.ts';
import type { Method } from '../../../wire/grpc/index.ts';
import type { Fields, Message, MessageTable } from '../../../wire/protobuf/index.ts';

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
export const STATUS = method('Maintenance/Status', statusRequest, statusResponse);

/** The one that streams. */
export const WATCH_PATH = '/etcdserverpb.Watch/Watch';
