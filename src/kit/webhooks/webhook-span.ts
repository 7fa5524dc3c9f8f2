import type { Http2ServerRequest } from 'node:http2';
import { hasTracer, inSpan } from '../../base/index.ts';
import type { LocalAnswer } from './local-webhooks.ts';

/** Answers a webhook in a span if the process has a tracer: a child of the API server's span, if the request carries one. */
export function inWebhookSpan(
  { url, headers: parent }: Pick<Http2ServerRequest, 'url' | 'headers'>,
  answer: () => Promise<LocalAnswer>,
): Promise<LocalAnswer> {
  if (!hasTracer()) return answer();
  const [path = ''] = url.split('?', 1);
  return inSpan(`webhook ${path}`, { kind: 'server', parent, attributes: { 'url.path': path } }, async (span) => {
    const given = await answer();
    span.set({ 'http.response.status_code': given.status });
    if (given.status >= 500) span.failed(new Error(given.body.trim()));
    return given;
  });
}
