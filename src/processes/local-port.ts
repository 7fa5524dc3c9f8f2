import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { drained } from '../wire/connections/index.ts';
import { type OpenPort, RuntimeError } from '../node/index.ts';

/** Connects to ports at an address of this machine. */
export function localPort(host: string): OpenPort {
  return async function* open(port, sent, { signal }) {
    const socket = connect({ host, port, noDelay: true, signal });
    socket.on('error', () => undefined); // reading tells
    try {
      await once(socket, 'connect');
    } catch (cause) {
      throw new RuntimeError('Unavailable', `dial tcp ${host}:${port}: connect: connection refused`, { cause });
    }
    const sending = (async () => {
      for await (const bytes of sent) if (!socket.write(bytes)) await drained(socket);
      socket.end();
    })();
    sending.catch(() => socket.destroy()); // the caller is gone
    try {
      for await (const bytes of socket) yield bytes as Buffer;
    } finally {
      socket.destroy();
    }
  };
}

/** Whether a process that runs already keeps others from listening at this address and port. */
export async function isTaken(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  } finally {
    server.close();
  }
}
