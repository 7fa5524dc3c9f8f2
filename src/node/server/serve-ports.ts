import type { Duplex } from 'node:stream';
import { type Clock, onAbort } from '../../base/index.ts';
import {
  type ConnectPort,
  forwardOverSpdy,
  forwardOverWebSocket,
  isPort,
  PORT_FORWARD_PROTOCOL,
  WEBSOCKET_PORT_PROTOCOLS,
} from '../../wire/remote-command/index.ts';
import { handshake, wantsWebSocket, WebSocketConnection } from '../../wire/websocket/index.ts';
import { negotiateSpdy, spdyHeaders } from './negotiate-spdy.ts';
import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';

/** The ports that a caller of WebSocket names in its query; callers of SPDY name them with each connection. */
export function askedPorts(request: NodeRequest): readonly number[] | NodeAnswer {
  if (!wantsWebSocket((name) => request.header(name))) return [];
  const given = request.query.getAll('port');
  if (given.length === 0) return refusal(400, 'query parameter "port" is required');
  if (given.includes('')) return refusal(400, 'query parameter "port" cannot be empty');
  const ports = given.flatMap((text) => text.split(','));
  const wrong = ports.find((port) => !isPort(port));
  if (wrong !== undefined) return refusal(400, `unable to parse ${JSON.stringify(wrong)} as a port`);
  return ports.length > MAX_PORTS
    ? refusal(400, `at most ${MAX_PORTS} ports can be forwarded at once`)
    : ports.map(Number);
}

/** A channel's number is a byte, and each port has two. */
const MAX_PORTS = 127;

export interface ForwardedPorts {
  readonly connect: ConnectPort;
  readonly pod: string;
  readonly clock: Clock;
  /** Aborts when the pod has stopped. */
  readonly ended: AbortSignal | undefined;
}

/** Closes the caller's connection when the pod stops: it would wait for nothing otherwise. */
async function closedWith(ended: AbortSignal | undefined, socket: Duplex, work: () => Promise<void>): Promise<void> {
  if (ended === undefined) return work();
  using _closing = onAbort(ended, () => socket.destroy());
  if (ended.aborted) socket.destroy();
  await work();
}

/** Connects the caller with ports of a pod, over WebSocket or SPDY, as it asks for. */
export function servePorts(
  request: NodeRequest,
  ports: readonly number[],
  { connect, pod, clock, ended }: ForwardedPorts,
): NodeAnswer {
  if (wantsWebSocket((name) => request.header(name))) {
    const { code, headers, body } = handshake(
      (name) => request.header(name),
      (offered) => (offered.length === 0 ? '' : offered.find((name) => WEBSOCKET_PORT_PROTOCOLS.includes(name))),
    );
    if (code !== 101) return refusal(code, body);
    const protocol = headers['Sec-WebSocket-Protocol'] ?? '';
    return {
      type: 'upgrade',
      headers,
      takeOver: (socket) =>
        closedWith(ended, socket, () =>
          forwardOverWebSocket(new WebSocketConnection(socket, { clock, protocol }), ports, { connect, pod }),
        ),
    };
  }
  const protocol = negotiateSpdy(request, [PORT_FORWARD_PROTOCOL]);
  if (typeof protocol !== 'string') return protocol;
  return {
    type: 'upgrade',
    headers: spdyHeaders(protocol),
    takeOver: (socket) => closedWith(ended, socket, () => forwardOverSpdy(socket, connect, pod)),
  };
}
