import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The two ends of a connection. */
export async function channelPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer({ noDelay: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const near = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', noDelay: true });
  await once(near, 'connect');
  const [far] = (await accepted) as [Socket];
  server.close();
  return [near, far];
}
