import type { Duplex } from 'node:stream';
import { readBytes, TurnWrites } from '../connections/index.ts';
import { type WebSocketConnection, WebSocketError } from '../websocket/index.ts';

/**
 * Connects a WebSocket whose messages are pieces of a byte stream with a connection that carries the same bytes, as for
 * forwarded ports, which speak SPDY inside; resolves when both have ended. With backpressure in both directions.
 */
export async function joinTunnel(connection: WebSocketConnection, socket: Duplex): Promise<void> {
  await Promise.all([toSocket(connection, socket), toWebSocket(connection, socket)]);
}

async function toSocket(connection: WebSocketConnection, socket: Duplex): Promise<void> {
  const writes = new TurnWrites(socket);
  try {
    for await (const batch of connection.batches()) {
      if (!socket.writable) break;
      const [first] = batch;
      const bytes =
        batch.length === 1 && first !== undefined ? first.data : Buffer.concat(batch.map(({ data }) => data));
      const full = writes.write(bytes);
      if (full !== undefined) await full;
    }
    writes.end();
  } catch (error) {
    socket.destroy();
    if (!(error instanceof WebSocketError)) throw error;
  }
}

const NOTHING = new Uint8Array();

async function toWebSocket(connection: WebSocketConnection, socket: Duplex): Promise<void> {
  try {
    await readBytes(socket, (bytes) => connection.sendAfter(NOTHING, bytes));
  } catch {
    // a lost connection ends the tunnel, like a closed one
  } finally {
    connection.close();
  }
}
