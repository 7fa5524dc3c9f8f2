import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { webhookServer } from '../../src/kit/webhooks/index.ts';
import type { Attack } from './attack.ts';

const CONNECTIONS = 600;
const UNANSWERED_MS = 10_000;

/** The code of a POST to the server, 0 when it does not answer. */
function post(port: number, ca: string, body: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = request(
      { port, host: 'localhost', path: '/echo', method: 'POST', ca, agent: false, timeout: UNANSWERED_MS },
      (incoming) => resolve((incoming.resume(), incoming.statusCode ?? 0)),
    );
    outgoing
      .on('error', () => resolve(0))
      .on('timeout', () => outgoing.destroy())
      .end(body);
  });
}

/** A connection that has sent one request over HTTP/2, and says nothing more. */
async function silentAfterOne(port: number, ca: string): Promise<TLSSocket> {
  const socket = connect({ port, host: 'localhost', ca, ALPNProtocols: ['h2'] }).on('error', () => undefined);
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]);
  if (socket.destroyed) return socket;
  const session = connectHttp2('https://localhost', { createConnection: () => socket }).on('error', () => undefined);
  const stream = session.request({ ':path': '/echo' }).on('error', () => undefined);
  stream.resume();
  await once(stream, 'close');
  return socket;
}

export const attack: Attack = {
  name: 'kit-servers',
  what: '600 silent connections and bodies of 40 MB at a webhook server made with the kit',
  isForOursOnly: true,
  async run(_, signal) {
    const stop = new AbortController();
    const server = webhookServer({ handlers: { '/echo': (review) => ({ review }) } });
    const running = server.run(stop.signal);
    const { port } = await server.listening();
    const { authority } = server;
    const sockets: TLSSocket[] = [];
    while (sockets.length < CONNECTIONS && !signal.aborted) sockets.push(await silentAfterOne(port, authority));
    const small = await post(port, authority, Buffer.from('{}'));
    const large = await post(port, authority, Buffer.alloc(40 * 1024 * 1024, ' '));
    for (const socket of sockets) socket.destroy();
    stop.abort();
    await running;
    return `an ordinary review is answered with ${small}, one of 40 MB with ${large}`;
  },
};
