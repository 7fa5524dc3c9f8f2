import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import { TokenFileCredentials } from '../credentials/index.ts';

/** The folder where kubelets mount a pod's service account. */
const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the service account; default the kubelet's. */
  readonly folder?: string;
}

/** The connection of a pod to its cluster, as its service account; undefined outside of a pod. */
export async function inClusterConnection(options: InClusterOptions): Promise<ClusterConnection | undefined> {
  const { environment, clock, folder = SERVICE_ACCOUNT_FOLDER } = options;
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '';
  const tokenFile = join(folder, 'token');
  if (host === '' || port === '' || (await readIfThere(tokenFile)) === undefined) return undefined;
  const authority = join(folder, 'ca.crt');
  const namespace = environment['POD_NAMESPACE'] ?? (await readIfThere(join(folder, 'namespace')))?.trim();
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    certificateAuthority: (await readIfThere(authority)) === undefined ? undefined : { path: authority },
    credentials: new TokenFileCredentials(tokenFile, clock),
    namespace: namespace === undefined || namespace === '' ? undefined : namespace,
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined; // not in a pod, or a pod without a service account
  }
}
