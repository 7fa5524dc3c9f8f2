import { compactionRequest, compactionResponse, rangeRequest, rangeResponse, txnRequest, txnResponse } from './kv.ts';
import { leaseGrantRequest, leaseGrantResponse } from './lease.ts';
import { statusRequest, statusResponse } from './maintenance.ts';
import type { Fields, MessageTable } from '../../../wire/protobuf/index.ts';

/** A call with one message each way. */
export interface Method<Request extends Fields, Response extends Fields> {
  readonly path: string;
  readonly request: MessageTable<Request>;
  readonly response: MessageTable<Response>;
}

function method<Request extends Fields, Response extends Fields>(
  path: string,
  request: MessageTable<Request>,
  response: MessageTable<Response>,
): Method<Request, Response> {
  return { path: `/etcdserverpb.${path}`, request, response };
}

export const RANGE = method('KV/Range', rangeRequest, rangeResponse);
export const TXN = method('KV/Txn', txnRequest, txnResponse);
export const COMPACT = method('KV/Compact', compactionRequest, compactionResponse);
export const LEASE_GRANT = method('Lease/LeaseGrant', leaseGrantRequest, leaseGrantResponse);
export const STATUS = method('Maintenance/Status', statusRequest, statusResponse);

/** The one that streams. */
export const WATCH_PATH = '/etcdserverpb.Watch/Watch';
