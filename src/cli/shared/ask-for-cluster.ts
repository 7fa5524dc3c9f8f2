import { once } from 'node:events';
import { type ConnectOptions, connectToServer } from './connect-to-server.ts';
import { firstMessage, sendMessage } from './messages.ts';
import type { ClusterAnswer, ClusterRequest } from './requests.ts';

/** A cluster of the shared server, which runs until it is disposed or the server ends. */
export interface OpenCluster extends Disposable {
  readonly kubeconfig: string;
  /** Resolves when the cluster has ended. */
  readonly closed: Promise<void>;
}

/** Asks the shared server for a cluster. */
export async function askForCluster(request: ClusterRequest, options: ConnectOptions): Promise<OpenCluster> {
  const connection = await connectToServer(options);
  connection.on('error', () => undefined); // leads to `close`
  const closed = once(connection, 'close').then(() => undefined);
  const stop = (): void => void connection.destroy();
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    sendMessage(connection, request);
    const answer = await firstMessage<ClusterAnswer>(connection);
    if (answer === undefined) throw new Error('Cannot start a test cluster: its server has ended');
    if (answer.problem !== undefined) throw new Error(`Cannot start a test cluster: ${answer.problem}`);
    return { ...answer, closed, [Symbol.dispose]: stop };
  } catch (error) {
    connection.destroy();
    throw error;
  } finally {
    options.signal.removeEventListener('abort', stop);
  }
}
