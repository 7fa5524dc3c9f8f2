import type { Duplex } from 'node:stream';
import { drained } from '../connections/index.ts';
import { type WebSocketConnection, WebSocketError } from '../websocket/index.ts';

/**
 * Joins a WebSocket whose messages are pieces of one stream of bytes with a connection that carries the same bytes, as for
 * forwarded ports, which speak SPDY within; resolves when both are over. Neither side is read faster than the other takes it.
 */
export async function joinTunnel(connection: WebSocketConnection, socket: Duplex): Promise<void> {
  await Promise.all([toSocket(connection, socket), toWebSocket(connection, socket)]);
}

async function toSocket(connection: WebSocketConnection, socket: Duplex): Promise<void> {
  try {
    for await (const { data } of connection) {
      if (!socket.writable) break;
      if (!socket.write(data)) await drained(socket);
    }
    socket.end();
  } catch (error) {
    socket.destroy();
    if (!(error instanceof WebSocketError)) throw error;
  }
}

async function toWebSocket(connection: WebSocketConnection, socket: Duplex): Promise<void> {
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) await connection.send(chunk as Buffer);
  } catch {
    // a connection that is lost ends the tunnel, like one that is closed
  } finally {
    connection.close();
  }
}
