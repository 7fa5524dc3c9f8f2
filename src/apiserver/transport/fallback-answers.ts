import { Buffer } from 'node:buffer';

// What upstream's outermost layers answer by themselves: in their own form, whatever the client asked for.

const TEXT = 'text/plain; charset=utf-8';

const TIMEOUT_STATUS = {
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
};

/** The deadline passed. Upstream sends this Status without its kind, and as plain text. */
export const TIMEOUT_ANSWER = {
  code: 504,
  headers: { 'content-type': TEXT },
  body: Buffer.from(`${JSON.stringify(TIMEOUT_STATUS)}\n`),
};

/** The handler broke its promise not to throw. */
export const BROKEN_ANSWER = {
  code: 500,
  headers: { 'content-type': TEXT, 'x-content-type-options': 'nosniff' },
  body: Buffer.from('This request caused apiserver to panic. Look in the logs for details.\n'),
};
