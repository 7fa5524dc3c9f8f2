import { access } from 'node:fs/promises';
import { RealClock } from '../base/index.ts';
import { Client, type ClientOptions } from './client.ts';
import type { ClusterConnection } from './cluster-connection.ts';
import { HttpTransport, type HttpTransportOptions } from './http/index.ts';
import {
  environmentProxy,
  inClusterConnection,
  kubeconfigCode,
  KubeconfigError,
  kubeconfigPaths,
} from './kubeconfig/index.ts';
import type { Transport } from './transport.ts';

export interface FindConnectionOptions {
  /** A kubeconfig file; default the one that kubectl uses. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig; default the current one. */
  readonly context?: string;
  /** Default the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface ConnectOptions extends FindConnectionOptions, ClientOptions, Omit<HttpTransportOptions, 'clock'> {}

/**
 * Finds the cluster as kubectl does, or through the pod's service account when there is no kubeconfig, and returns a
 * client for it. Sends nothing before the first call.
 */
export async function connect(options: ConnectOptions = {}): Promise<Client> {
  return connectTo(await findConnection(options), options);
}

/** Returns a client for a known connection. `wrap` may replace its transport. */
export function connectTo(
  connection: ClusterConnection,
  options: ClientOptions & Omit<HttpTransportOptions, 'clock'> = {},
  wrap = (transport: Transport): Transport => transport,
): Client {
  const { impersonate, namespace } = connection;
  return new Client(wrap(new HttpTransport(connection, options)), { impersonate, namespace, ...options });
}

/** Finds the connection: the kubeconfig's context, or the pod's cluster; uses the environment's proxy, if any. */
export async function findConnection(
  options: FindConnectionOptions & Pick<ClientOptions, 'clock'> = {},
): Promise<ClusterConnection> {
  const { environment = process.env } = options;
  const connection = await locate({ ...options, environment });
  return { ...connection, proxyUrl: connection.proxyUrl ?? environmentProxy(connection.server, environment) };
}

async function locate(
  options: FindConnectionOptions & Pick<ClientOptions, 'clock'> & Required<Pick<FindConnectionOptions, 'environment'>>,
): Promise<ClusterConnection> {
  const { environment, clock = new RealClock(), context, kubeconfig: path } = options;
  const paths = kubeconfigPaths(environment);
  if ((path ?? context) !== undefined || (await Promise.all(paths.map(isPresent))).includes(true)) {
    const { connectionOfFiles } = await kubeconfigCode();
    const isTerminal = process.stdin.isTTY === true;
    const found = await connectionOfFiles({ path, context, clock, environment, isTerminal });
    if (found !== undefined) return found;
  }
  const inCluster = await inClusterConnection({ clock, environment });
  if (inCluster !== undefined) return inCluster;
  const source = (environment['KUBECONFIG'] ?? '') === '' ? '$KUBECONFIG is not set' : 'as $KUBECONFIG says';
  throw new KubeconfigError(
    `Cannot find a cluster: there is no kubeconfig at ${paths.map((each) => `"${each}"`).join(', ')} (${source}), and this process does not run in a pod`,
  );
}

/** Also true for a file that cannot be read: the error is then about that. */
function isPresent(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT',
  );
}
