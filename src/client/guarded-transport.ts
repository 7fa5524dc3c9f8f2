import { type Transport, withSend } from './transport.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A transport that asks before each write, also when it is sent again; what the guard throws keeps the write from being sent. */
export function guardedTransport(transport: Transport, beforeWrite: () => void): Transport {
  return withSend(transport, async (request) => {
    if (!READS.has(request.method)) beforeWrite();
    return transport.send(request);
  });
}
