import { conflict, expired, OBJECT_MODIFIED, type Status, StatusError } from '../../api/client.ts';
import type { TransportResponse } from '../../client/index.ts';
import type { ResourceRequest } from '../resource-request.ts';
import type { RequestFault } from './fault.ts';

/** The error of an etcd without a leader, which API servers pass on. */
const STORAGE_FAILS = 'etcdserver: request timed out';
export const BUSY = 'Too many requests, please try again later.\n';
const TIMED_OUT = 'Timeout: request did not complete within the allotted timeout';
const UNAVAILABLE = 'the server is currently unable to handle the request';
const LIST_FORGOTTEN = 'The resourceVersion for the provided list is too old.';

/** Marks a response as an injected fault, for the trace. */
export const FAULT_HEADER = 'keelson-fault';

/** The error response of a fault, worded as the server does; undefined for faults without one. */
export function refusalOf(fault: RequestFault, request: ResourceRequest): TransportResponse | undefined {
  const refusal = serverAnswer(fault, request);
  return refusal === undefined
    ? undefined
    : { ...refusal, headers: { ...refusal.headers, [FAULT_HEADER]: fault.type } };
}

function serverAnswer(fault: RequestFault, request: ResourceRequest): TransportResponse | undefined {
  const { group, resource, name } = request;
  switch (fault.type) {
    case 'conflict':
      return statusAnswer(conflict({ group, resource }, name, OBJECT_MODIFIED).status);
    case 'expired':
      return request.verb === 'watch' ? undefined : statusAnswer(forgotten(request));
    case 'tooManyRequests': {
      const headers = { 'retry-after': String(fault.retryAfterSeconds ?? 1), 'content-type': 'text/plain' };
      return { status: 429, headers, body: { type: 'bytes', chunks: once(Buffer.from(BUSY)) } };
    }
    case 'internalError':
      return statusAnswer(failure(500, '', fault.message ?? STORAGE_FAILS));
    case 'unavailable':
      return statusAnswer(failure(503, 'ServiceUnavailable', fault.message ?? UNAVAILABLE));
    case 'timeout':
      return statusAnswer(failure(504, 'Timeout', TIMED_OUT));
    default:
      return undefined;
  }
}

/** The Status for an expired resource version. */
export function forgotten({ query, verb }: ResourceRequest): Status {
  if (verb !== 'watch') return expired(LIST_FORGOTTEN).status;
  const version = Number(query.get('resourceVersion') ?? '0');
  return expired(`too old resource version: ${version} (${version + 1})`).status;
}

function failure(code: number, reason: string, message: string): Status {
  return new StatusError({ code, ...(reason === '' ? {} : { reason }), message }).status;
}

function statusAnswer(status: Status): TransportResponse {
  return { status: status.code, headers: {}, body: { type: 'object', object: status } };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
