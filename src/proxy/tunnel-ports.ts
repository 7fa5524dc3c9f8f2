import { StatusError } from '../api/index.ts';
import {
  type Call,
  type ConnectionAnswer,
  type RequestHeaders,
  transportErrorText,
  webSocketAnswer,
} from '../apiserver/index.ts';
import { cutText } from '../wire/connections/index.ts';
import type { UpgradedConnection } from '../wire/http/index.ts';
import { joinTunnel, PORT_FORWARD_PROTOCOL } from '../wire/remote-command/index.ts';
import { wantsWebSocket } from '../wire/websocket/index.ts';
import { MAX_REFUSAL_BYTES, type NodeTarget } from './node-target.ts';

const TUNNEL_PROTOCOL = `SPDY/3.1+${PORT_FORWARD_PROTOCOL}`;

/** Whether the client tunnels SPDY through WebSocket. */
export function isTunnel(request: RequestHeaders): boolean {
  const isOffered = request.headers('sec-websocket-protocol').some((text) => text.includes(TUNNEL_PROTOCOL));
  return isOffered && wantsWebSocket((name) => request.header(name));
}

/** Forwards ports for a client that tunnels its SPDY connection to the node through WebSocket. */
export async function tunnelPorts(call: Call, { client, path, clock }: NodeTarget): Promise<ConnectionAnswer> {
  const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': PORT_FORWARD_PROTOCOL };
  let answer: Awaited<ReturnType<typeof client.upgrade>>;
  try {
    answer = await client.upgrade({ method: 'POST', path, headers, signal: call.request.signal });
  } catch (error) {
    throw new StatusError({ code: 500, message: `error dialing backend: ${transportErrorText(error)}` });
  }
  if (!('socket' in answer)) {
    const body = await cutText(answer.chunks, MAX_REFUSAL_BYTES);
    return { type: 'bytes', code: answer.status, contentType: 'text/plain; charset=utf-8', body };
  }
  const { socket }: UpgradedConnection = answer;
  return webSocketAnswer(call, {
    clock,
    protocols: [TUNNEL_PROTOCOL],
    serve: (connection) => joinTunnel(connection, socket),
  });
}
