import type { ServerResponse } from 'node:http';
import { StatusError } from '../../api/client.ts';
import { messageOf } from '../../base/index.ts';
import { isTransportError } from '../../client/index.ts';

/** Sends a value as JSON. */
export function sendJson(response: ServerResponse, value: unknown, code = 200): void {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

/** Sends what went wrong as a Status, or breaks the connection of an answer that has begun. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status } = statusOf(error);
  sendJson(response, status, status.code);
}

/** An error as a Status: that of the API server or of the dashboard, or one about the connection to the API server. */
export function statusOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  const isUpstream = isTransportError(error);
  return new StatusError(
    {
      code: isUpstream ? 502 : 500,
      reason: isUpstream ? 'ServiceUnavailable' : 'InternalError',
      message: isUpstream ? `The API server cannot be reached: ${messageOf(error)}` : messageOf(error),
    },
    { cause: error },
  );
}

/** Sent with every answer: nothing is loaded from elsewhere, and no page of others may show this one. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** For content of the cluster, which may be anything: a browser that shows it as a page runs nothing of it. */
export const CONTENT_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cache-control': 'no-store',
};
