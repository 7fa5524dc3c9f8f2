import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { WebSocketConnection } from '../websocket/index.ts';

/** The protocol of a WebSocket to one port of a pod, for `joinPort`. */
export const PORT_PROTOCOL = 'v4.channel.k8s.io';

const DATA = 0;
const ERROR = 1;
/** Each channel begins with the number of the port. */
const PORT_BYTES = 2;
const MAX_PROBLEM_CHARACTERS = 1024;

/**
 * Joins a connection on this machine with a port of a pod, which `connection` leads to. Resolves when both have ended, to what the pod's
 * side complained about.
 *
 * The protocol cannot say that one direction has ended: the pod sees the end when this side has closed its connection.
 */
export async function joinPort(local: Duplex, connection: WebSocketConnection): Promise<string | undefined> {
  local.on('error', () => undefined); // seen as its end
  local.once('close', () => connection.close());
  const sending = send(local, connection);
  const begun = new Set<number>();
  let problem = '';
  try {
    for await (const { data } of connection) {
      const [channel = DATA] = data;
      const bytes = data.subarray(begun.has(channel) ? 1 : 1 + PORT_BYTES);
      begun.add(channel);
      if (channel === ERROR) problem = (problem + Buffer.from(bytes).toString('utf8')).slice(0, MAX_PROBLEM_CHARACTERS);
      else if (local.destroyed) break;
      else if (bytes.length > 0 && !local.write(bytes))
        await Promise.race([once(local, 'drain'), once(local, 'close')]);
    }
  } catch {
    // a lost connection ends the local one, like a closed one
  }
  local.end();
  await sending;
  return problem === '' ? undefined : problem;
}

async function send(local: Duplex, connection: WebSocketConnection): Promise<void> {
  try {
    for await (const bytes of local as AsyncIterable<Uint8Array>)
      await connection.sendAfter(Uint8Array.of(DATA), bytes);
  } catch {
    // the local side broke off
  }
}
