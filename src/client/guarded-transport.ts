import { type Transport, withSend } from './transport.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A transport that calls the guard before each write, including retries; if the guard throws, the write is not sent.
 */
export function guardedTransport(transport: Transport, beforeWrite: () => void): Transport {
  return withSend(transport, async (request) => {
    if (!READS.has(request.method)) beforeWrite();
    return transport.send(request);
  });
}
