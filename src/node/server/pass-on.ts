import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/index.ts';
import { HttpClient } from '../../wire/http/index.ts';
import { cutText, joinConnections } from '../../wire/connections/index.ts';
import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';

/** Headers that negotiate a protocol. */
const PASSED = [
  'connection',
  'upgrade',
  'x-stream-protocol-version',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
];
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Proxies the caller to the streaming server of a container runtime at this URL. */
export async function passOn(request: NodeRequest, url: string, clock: Clock): Promise<NodeAnswer> {
  const server = new URL(url);
  const client = new HttpClient({ target: { server }, clock, isHttp1Only: true });
  const headers = PASSED.flatMap((name) => {
    const value = request.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const path = `${server.pathname}${server.search}`;
  const { method, signal } = request;
  const answer = await client.upgrade({ method, path, headers: Object.fromEntries(headers), signal });
  if (!('socket' in answer)) {
    const text = await cutText(answer.chunks, MAX_REFUSAL_BYTES);
    client.destroy();
    return refusal(answer.status, text);
  }
  const { socket } = answer;
  const texts = Object.entries(answer.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return {
    type: 'upgrade',
    headers: Object.fromEntries(texts),
    async takeOver(connection: Duplex) {
      await joinConnections(connection, socket);
      client.destroy();
    },
  };
}
