import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Resolves when the kernel refuses connections to a port of 127.0.0.1 that this process has closed.
 *
 * That may be a moment after the close: a process that another thread is starting holds copies of all sockets of this one from its
 * fork to its exec, the listening ones as well, and the kernel accepts connections as long as one copy is open.
 */
export async function portIsClosed(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    try {
      await once(socket, 'connect');
    } catch {
      return;
    }
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  }
}
