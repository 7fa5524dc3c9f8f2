import { type Status, StatusError } from '../../api/client.ts';
import type { ApiRequest } from './api-request.ts';
import { excerpt } from './body-reader.ts';

/** Reasons for responses that are not from an API server and so have none. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The error for an unsuccessful response. */
export function statusErrorOf(code: number, value: unknown, request: ApiRequest): StatusError {
  if (isStatus(value)) return errorOf(value, code);
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
  const message = `The server answered ${code} to ${request.method} ${request.path}${text === '' ? '' : `: ${excerpt(text)}`}`;
  return new StatusError({ code, message, reason: reasons[code] ?? 'Unknown' });
}

/** A Status as an error. */
export function errorOf(status: Partial<Status>, code = 500): StatusError {
  return new StatusError({
    code: status.code ?? code,
    message: status.message ?? '',
    ...(status.reason === undefined ? {} : { reason: status.reason }),
    ...(status.details === undefined ? {} : { details: status.details }),
  });
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Partial<Status>).kind === 'Status';
}
