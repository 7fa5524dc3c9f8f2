import type { Clock, Random } from '../../base/index.ts';
import { type HttpClient, type HttpExchange, type HttpRequest, TransportError } from '../http/index.ts';
import { acceptValue, WEBSOCKET_VERSION } from './handshake.ts';
import { WebSocketConnection, type WebSocketOptions } from './websocket-connection.ts';

export interface OpenWebSocketOptions extends Pick<WebSocketOptions, 'maxMessageBytes' | 'pingAfterMs'> {
  readonly clock: Clock;
  readonly random: Random;
  /** Subprotocols to offer, best first, such as `v5.channel.k8s.io`; if any are offered, the server has to choose one of them. */
  readonly protocols: readonly string[];
}

/** Requests a WebSocket. Returns the response of a server that refuses, with the reason in its body. */
export async function openWebSocket(
  client: Pick<HttpClient, 'upgrade'>,
  request: Omit<HttpRequest, 'method' | 'body'>,
  options: OpenWebSocketOptions,
): Promise<WebSocketConnection | HttpExchange> {
  const { random, protocols } = options;
  const key = Buffer.from(random.bytes(16)).toString('base64');
  const answer = await client.upgrade({
    ...request,
    method: 'GET',
    headers: {
      ...request.headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': WEBSOCKET_VERSION,
      'sec-websocket-key': key,
      ...(protocols.length === 0 ? {} : { 'sec-websocket-protocol': protocols.join(', ') }),
    },
  });
  if (!('socket' in answer)) return answer;
  const { headers, socket } = answer;
  const protocol = String(headers['sec-websocket-protocol'] ?? '');
  const problem =
    headers['sec-websocket-accept'] !== acceptValue(key)
      ? 'it did not answer to the key'
      : headers['sec-websocket-extensions'] !== undefined
        ? 'it chose extensions, and none were offered'
        : protocols.length > 0 && !protocols.includes(protocol)
          ? `it chose protocol ${JSON.stringify(protocol)}, which was not offered`
          : undefined;
  if (problem === undefined) return new WebSocketConnection(socket, { ...options, protocol });
  socket.destroy();
  throw new TransportError('protocol', `Cannot speak WebSocket with the server: ${problem}`);
}
