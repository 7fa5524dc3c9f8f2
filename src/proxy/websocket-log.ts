import { type Call, type ConnectionAnswer, discard, webSocketAnswer } from '../apiserver/index.ts';
import type { Clock } from '../base/index.ts';
import type { HttpExchange } from '../wire/http/index.ts';
import type { WebSocketConnection } from '../wire/websocket/index.ts';

const BINARY = 'binary.k8s.io';
/** Each message is the base64 of some bytes, as text, for clients that cannot handle binary messages. */
const BASE64 = 'base64.binary.k8s.io';

/** Sends a container's log as WebSocket messages: an empty one at once, then the log, then a normal close. What the client sends is ignored. */
export async function webSocketLog(call: Call, log: HttpExchange, clock: Clock): Promise<ConnectionAnswer> {
  const answer = webSocketAnswer(call, {
    clock,
    protocols: ['', BINARY, BASE64],
    async serve(connection) {
      await Promise.all([sendLog(connection, log.chunks), ignoreMessages(connection)]);
    },
  });
  if (answer.type !== 'upgrade') await discard(log);
  return answer;
}

async function sendLog(connection: WebSocketConnection, log: AsyncIterable<Uint8Array>): Promise<void> {
  const isText = connection.protocol === BASE64;
  const send = (bytes: Uint8Array): Promise<void> =>
    connection.send(isText ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64') : bytes);
  try {
    await send(new Uint8Array());
    for await (const bytes of log) await send(bytes);
  } catch {
    // the node was lost, or the client left: the log ends here
  }
  connection.close();
}

async function ignoreMessages(connection: WebSocketConnection): Promise<void> {
  try {
    for await (const _ of connection.batches());
  } catch {
    // the connection broke: there is no more to ignore, and the request ends with it
  }
}
