import { type Status, StatusError, quoteGo, trimGo } from '../../api/index.ts';
import { readStatus } from './read-answer.ts';
import type { WebhookAnswer } from './webhook-answer.ts';

/** Maximum bytes of an unintelligible answer that the error quotes. */
const MAX_QUOTED_BYTES = 2048;

interface Failure {
  readonly reason?: string;
  readonly message: string;
}

const FAILURES: Readonly<Record<number, Failure>> = {
  400: { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' },
  401: { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' },
  404: { reason: 'NotFound', message: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' },
  409: { reason: 'AlreadyExists', message: 'the server reported a conflict' },
  422: { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
  429: {
    reason: 'TooManyRequests',
    message: 'the server has received too many requests and has asked us to try again later',
  },
  503: { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' },
  504: {
    reason: 'Timeout',
    message: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
};

/** client-go's error for an unsuccessful answer: the Status in it, else one that is derived from its code. */
export function answerFailure(answer: WebhookAnswer): StatusError {
  const status = readStatus(answer);
  if (status?.status === 'Failure') return fromStatus(status);
  const { code, retryAfterSeconds } = answer;
  const text = textOf(answer);
  const { reason, message } = failureOf(code, text);
  const causes = [{ reason: 'UnexpectedServerResponse', message: text }];
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new StatusError({ code, ...(reason === undefined ? {} : { reason }), message, details: { causes, ...retry } });
}

function failureOf(code: number, text: string): Failure {
  const known = FAILURES[code];
  if (known !== undefined) return known;
  if (code === 403) return { reason: 'Forbidden', message: text };
  if (code === 415) return { reason: 'UnsupportedMediaType', message: text };
  if (code === 406) {
    const message = 'the server was unable to respond with a content type that the client supports';
    return { reason: 'NotAcceptable', message: text === '' || text === 'unknown' ? message : text };
  }
  if (code < 500) {
    return { message: `the server responded with the status code ${code} but did not return more information` };
  }
  const message = `an error on the server (${quoteGo(text)}) has prevented the request from succeeding`;
  return { reason: 'InternalError', message };
}

function textOf({ contentType, body }: WebhookAnswer): string {
  const isText = contentType === '' || /^\s*text\//i.test(contentType);
  return isText ? trimGo(Buffer.from(body.subarray(0, MAX_QUOTED_BYTES)).toString()) : 'unknown';
}

function fromStatus({ code, reason, message = '', details }: Status): StatusError {
  return new StatusError({
    code: code ?? 0,
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  });
}
