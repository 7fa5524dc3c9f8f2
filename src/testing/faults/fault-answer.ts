import { conflict, expired, OBJECT_MODIFIED, type Status, StatusError } from '../../api/client.ts';
import type { TransportResponse } from '../../client/index.ts';
import type { ResourceRequest } from '../resource-request.ts';
import type { RequestFault } from './fault.ts';

/** What etcd says, and API servers pass on, when it has no leader for a moment. */
const STORAGE_FAILS = 'etcdserver: request timed out';
export const BUSY = 'Too many requests, please try again later.\n';
const TIMED_OUT = 'Timeout: request did not complete within the allotted timeout';
const UNAVAILABLE = 'the server is currently unable to handle the request';
const LIST_FORGOTTEN = 'The resourceVersion for the provided list is too old.';

/** The header by which a refusal tells the trace that it is a fault. */
export const FAULT_HEADER = 'keelson-fault';

/** The answer with which a server refuses a request, in its own words; undefined for faults that refuse nothing. */
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

/** What a server says about a moment that it has forgotten. */
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
