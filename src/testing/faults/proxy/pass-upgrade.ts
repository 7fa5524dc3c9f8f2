import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../../base/index.ts';
import type { HttpTransport, TransportRequest } from '../../../client/index.ts';
import { joinConnections } from '../../../wire/connections/index.ts';
import { sentHeaders } from './pass-request.ts';

export interface UpgradeRequest {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** What arrived behind the request. */
  readonly first: Buffer;
  /** Headers for the server besides those of the client. */
  readonly headers: TransportRequest['headers'];
}

/** Passes a connection through that becomes another protocol: commands in pods, forwarded ports. No fault meets it. */
export async function passUpgrade(
  { message, socket, first, headers: more }: UpgradeRequest,
  server: HttpTransport,
): Promise<void> {
  const left = new AbortController();
  const leave = (): void => left.abort(new Error('The client has left'));
  socket.once('close', leave);
  try {
    const headers = { ...sentHeaders(message), ...more, connection: 'Upgrade', upgrade: message.headers.upgrade ?? '' };
    const request = { method: message.method ?? 'GET', path: message.url ?? '/', headers, signal: left.signal };
    const answer = await server.ask(request, (client, complete) => client.upgrade(complete));
    if (!('socket' in answer)) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.chunks) chunks.push(chunk);
      endWith(socket, answer.status, Buffer.concat(chunks).toString());
      return;
    }
    const shown = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${shown.join('')}\r\n`);
    if (first.length > 0) answer.socket.write(first);
    await joinConnections(socket, answer.socket);
  } catch (error) {
    endWith(socket, 502, messageOf(error));
  }
}

/** Refuses an upgrade. */
export function endWith(socket: Duplex, code: number, text: string): void {
  const length = Buffer.byteLength(text);
  socket.end(`HTTP/1.1 ${code} Refused\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${text}`);
}
