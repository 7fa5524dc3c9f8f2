// Bytes that no library sends, over TLS.

import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { connect as connectHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import type { AttackTarget } from './attack.ts';

/** A TLS connection; errors are an end like any other. */
export async function dial(target: AttackTarget, protocol: 'h2' | 'http/1.1'): Promise<TLSSocket> {
  const { hostname, port } = new URL(target.url);
  const socket: TLSSocket = connect({ host: hostname, port: Number(port), ca: target.ca, ALPNProtocols: [protocol] });
  const connected = Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  socket.setMaxListeners(0);
  socket.on('error', () => undefined);
  await connected;
  return socket;
}

/** Writes with back-pressure; false when the connection is gone. */
export async function put(socket: TLSSocket, bytes: Uint8Array | string): Promise<boolean> {
  if (socket.destroyed) return false;
  if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  return !socket.destroyed;
}

export function session(target: AttackTarget, windowSize?: number): ClientHttp2Session {
  const settings = windowSize === undefined ? {} : { settings: { initialWindowSize: windowSize } };
  const opened = connectHttp2(target.url, { ca: target.ca, ...settings });
  opened.on('error', () => undefined);
  return opened;
}

/** The headers that say who asks. */
export function bearer({ token, user }: AttackTarget): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(user === undefined ? {} : { 'impersonate-user': user }),
  };
}

/** One request on its own session; the code, 0 when there was no answer. */
export async function send(
  over: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Uint8Array,
): Promise<number> {
  try {
    const stream = over.request(headers, { endStream: body === undefined });
    if (body !== undefined) stream.end(body);
    stream.on('error', () => undefined).resume();
    const closed = once(stream, 'close').then(() => undefined);
    const response = (await Promise.race([once(stream, 'response'), closed])) as [IncomingHttpHeaders] | undefined;
    await closed;
    return Number(response?.[0][':status'] ?? 0);
  } catch {
    return 0;
  }
}

export function preface(): Buffer {
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(0x04, 0, Buffer.alloc(0))]);
}

export function frame(type: number, stream: number, payload: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** `GET /` with the least of headers, in HPACK. */
export const GET = Buffer.from([0x82, 0x87, 0x84, 0x41, 0x01, 0x78]);
