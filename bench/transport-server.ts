// One server of the transport benchmark, in its own process: the transport, or Node alone doing the same.
import { Buffer } from 'node:buffer';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { CryptoRandom, discardLogger, RandomUidSource, RealClock } from '../src/base/index.ts';
import type { EncodedAnswer } from '../src/apiserver/answers/answer.ts';
import { listen } from '../src/apiserver/transport/index.ts';
import type { RequestHandler } from '../src/apiserver/transport/index.ts';
import { testAuthority } from '../src/apiserver/transport/testing/test-certificates.ts';

const ITEMS = 5000;
const small = Buffer.from(JSON.stringify({ kind: 'ConfigMap', data: { text: 'x'.repeat(1480) } }));
const item = Buffer.from(JSON.stringify({ kind: 'ConfigMap', data: { text: 'x'.repeat(990) } }));
const comma = Buffer.from(',');
const list: Buffer[] = Array.from({ length: ITEMS }, () => [item, comma]).flat();
const listBytes = list.reduce((total, piece) => total + piece.length, 0);
const json = { 'content-type': 'application/json' };

const serving = testAuthority('bench').issueServer();
const role = process.argv[2] ?? 'keelson';
const port = role === 'keelson' ? await startKeelson() : await startBare(role === 'bare');
process.send?.({ port });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, rssBytes: process.memoryUsage().rss });
});
process.on('disconnect', () => process.exit(0));

async function startKeelson(): Promise<number> {
  const smallAnswer: EncodedAnswer = { code: 200, headers: json, body: small };
  const listAnswer: EncodedAnswer = { code: 200, headers: json, body: list };
  const handler: RequestHandler = {
    handle: async (call) => (call.request.path === '/list' ? listAnswer : smallAnswer),
    encode: () => smallAnswer,
  };
  const transport = await listen(handler, {
    host: '127.0.0.1',
    port: 0,
    serving,
    clock: new RealClock(),
    uids: new RandomUidSource(new CryptoRandom()),
    log: discardLogger,
    signal: new AbortController().signal,
  });
  return transport.address.port;
}

/** The same answers from Node's own server, with the headers that any server sends, or with all that ours sends. */
async function startBare(isMinimal: boolean): Promise<number> {
  const uids = new RandomUidSource(new CryptoRandom());
  const headersFor = (length: number): Record<string, string | number> => ({
    ...(isMinimal ? {} : { 'audit-id': uids.next(), 'cache-control': 'no-cache, private' }),
    ...json,
    'content-length': length,
  });
  const server = createSecureServer({
    cert: serving.certificate,
    key: serving.key,
    allowHTTP1: true,
    maxSessionMemory: 256,
  });
  server.on('request', (request, response) => {
    if (request.httpVersionMajor !== 1) return;
    response.writeHead(200, headersFor(small.length));
    response.end(small);
  });
  server.removeAllListeners('stream'); // else every request would be served a second time through Node's compatibility layer
  server.on('stream', (stream, headers) => {
    const isList = headers[':path'] === '/list';
    stream.respond({ ':status': 200, ...headersFor(isList ? listBytes : small.length) });
    if (!isList) {
      stream.end(small);
      return;
    }
    stream.cork();
    for (const piece of list) stream.write(piece);
    stream.end();
  });
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
