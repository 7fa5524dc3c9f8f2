import type { Duplex } from 'node:stream';
import { messageOf } from '../../base/index.ts';
import { RESET_STATUS, SpdySession, type SpdyStream } from '../spdy/index.ts';
import type { WebSocketConnection } from '../websocket/index.ts';
import { WebSocketChannels } from './websocket-channels.ts';

export const PORT_FORWARD_PROTOCOL = 'portforward.k8s.io';
/** The WebSocket protocols of nodes, best first; a tunnel ends at the API server. */
export const WEBSOCKET_PORT_PROTOCOLS: readonly string[] = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];

/** Connects to a port: sends the given bytes and returns the received ones. Throws when it cannot connect. */
export type ConnectPort = (
  port: number,
  sent: AsyncIterable<Uint8Array>,
  options: { readonly signal: AbortSignal },
) => AsyncIterable<Uint8Array>;

interface ServedPort {
  readonly port: number;
  readonly sent: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Reports an error to the caller. */
  fail(problem: string): Promise<void> | undefined;
}

/**
 * Forwards ports over SPDY: a pair of streams for each connection, one for its data and one for errors. Resolves when the
 * caller disconnects.
 */
export async function forwardOverSpdy(socket: Duplex, connect: ConnectPort, pod: string): Promise<void> {
  const gone = new AbortController();
  const pairs = new Map<string, Partial<Record<string, SpdyStream>>>();
  const onStream = (stream: SpdyStream): void => {
    const { port = '', streamtype = '' } = stream.headers;
    const pair = pairs.get(requestOf(stream)) ?? {};
    if (!isPort(port) || (streamtype !== 'data' && streamtype !== 'error') || pair[streamtype] !== undefined) {
      return stream.reset(RESET_STATUS.protocolError);
    }
    pair[streamtype] = stream;
    pairs.set(requestOf(stream), pair);
    const { data, error } = pair;
    if (data === undefined || error === undefined) return;
    pairs.delete(requestOf(stream));
    void servePair(data, error);
  };
  const servePair = async (data: SpdyStream, error: SpdyStream): Promise<void> => {
    const port = Number(data.headers['port']);
    const write = (bytes: Uint8Array): Promise<void> => data.write(bytes);
    const fail = (problem: string): Promise<void> => error.write(Buffer.from(problem));
    await servePort({ port, sent: data, signal: gone.signal, write, fail }, connect, pod);
    await Promise.all([data.end(), error.end()]);
  };
  await new SpdySession(socket, { isServer: true, onStream, maxStreams: MAX_STREAMS }).closed;
  gone.abort(new Error('The caller is gone'));
}

/** Two streams for each connection through a forwarded port. */
const MAX_STREAMS = 1024;

/** Forwards ports over a WebSocket: one connection to each, on two channels, which start with their port. */
export async function forwardOverWebSocket(
  connection: WebSocketConnection,
  ports: readonly number[],
  { connect, pod }: { readonly connect: ConnectPort; readonly pod: string },
): Promise<void> {
  const channels = new WebSocketChannels(
    connection,
    ports.map((_port, index) => 2 * index),
  );
  await Promise.all(
    ports.map(async (port, index) => {
      const write = (bytes: Uint8Array): Promise<void> | undefined => channels.send(2 * index, bytes);
      const tell = (bytes: Uint8Array): Promise<void> | undefined => channels.send(2 * index + 1, bytes);
      const named = Buffer.alloc(2);
      named.writeUInt16LE(port);
      await write(named);
      await tell(named);
      const fail = (problem: string): Promise<void> | undefined => tell(Buffer.from(problem));
      const sent = channels.read(2 * index);
      await servePort({ port, sent, signal: channels.signal, write, fail }, connect, pod);
    }),
  );
  channels.close();
}

async function servePort(served: ServedPort, connect: ConnectPort, pod: string): Promise<void> {
  const { port, sent, signal, write, fail } = served;
  try {
    for await (const bytes of connect(port, sent, { signal })) await write(bytes);
  } catch (error) {
    if (!signal.aborted) await fail(`error forwarding port ${port} to pod ${pod}: ${messageOf(error)}`);
  }
}

/**
 * Identifies the streams that belong together: by the caller's header, or else by the error stream's number, which precedes
 * its data stream's.
 */
function requestOf({ id, headers }: SpdyStream): string {
  return headers['requestid'] ?? String(headers['streamtype'] === 'data' ? id - 2 : id);
}

export function isPort(text: string): boolean {
  return /^\d{1,5}$/u.test(text) && Number(text) >= 1 && Number(text) <= 0xffff;
}
