import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeYaml } from '../api/index.ts';
import { type ContainerConfig, type Mount } from '../node/index.ts';

/** Where in-cluster clients look for their account. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Variables of the user that programs need to find other programs, their caches and their language. */
const ESSENTIALS = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

/** The variables that only processes have, not containers. */
export const PROCESS_VARIABLES = {
  /** The address of this machine that only this pod's processes should listen at. */
  podAddress: 'KEELSON_POD_ADDRESS',
  /** A folder with links to all volumes, at their mount paths below it. */
  mountRoot: 'KEELSON_MOUNT_ROOT',
  /** The id of the container: tells its processes from others. */
  container: 'KEELSON_CONTAINER_ID',
} as const;

export interface EnvironmentParts {
  readonly id: string;
  readonly config: ContainerConfig;
  /** The variables that the pod sets itself. */
  readonly podSets: ReadonlySet<string>;
  readonly hostname: string;
  readonly namespace: string;
  /** The variables of the process that runs the node. */
  readonly user: Readonly<Record<string, string | undefined>>;
  readonly apiServer: URL;
  readonly podAddress: string;
  /** A folder of the container's own. */
  readonly folder: string;
}

/** The variables of a process, from weak to strong: the user's essentials, the pod's, then where the API server and the volumes are. */
export async function processEnvironment(parts: EnvironmentParts): Promise<Record<string, string>> {
  const { id, config, podSets, hostname, user, apiServer, podAddress, folder } = parts;
  const essentials = ESSENTIALS.flatMap((name) => (user[name] === undefined ? [] : [[name, user[name]] as const]));
  const mountRoot = join(folder, 'mounts');
  await linkMounts(mountRoot, config.mounts);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(parts), { mode: 0o600 });
  const reached = { ...apiVariables(apiServer), KUBECONFIG: kubeconfig };
  return {
    ...Object.fromEntries(essentials),
    HOSTNAME: hostname,
    ...Object.fromEntries(config.envs.map(({ key, value }) => [key, value])),
    ...Object.fromEntries(Object.entries(reached).filter(([name]) => !podSets.has(name))),
    [PROCESS_VARIABLES.podAddress]: podAddress,
    [PROCESS_VARIABLES.mountRoot]: mountRoot,
    [PROCESS_VARIABLES.container]: id,
  };
}

/** Cluster IPs lead nowhere on this machine, so these name the server's real address. */
function apiVariables(server: URL): Record<string, string> {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = server.port === '' ? '443' : server.port;
  return {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: port,
    KUBERNETES_SERVICE_PORT_HTTPS: port,
    KUBERNETES_PORT: `tcp://${server.hostname}:${port}`,
  };
}

/**
 * The connection of the pod's account, for clients that look for a kubeconfig. Pods without an account get an empty one: otherwise such
 * clients would use the kubeconfig in the user's home folder, and work on whatever cluster that names.
 */
function kubeconfigOf({ config, apiServer, namespace }: EnvironmentParts): string {
  const account = config.mounts.find(({ containerPath }) => containerPath === ACCOUNT)?.hostPath;
  const base = { apiVersion: 'v1', kind: 'Config' };
  if (account === undefined) return encodeYaml(base);
  const name = 'in-cluster';
  return encodeYaml({
    ...base,
    clusters: [{ name, cluster: { server: apiServer.origin, 'certificate-authority': join(account, 'ca.crt') } }],
    users: [{ name, user: { tokenFile: join(account, 'token') } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  });
}

/** Links to the volumes below a folder, for programs that cannot have them at their paths. */
async function linkMounts(root: string, mounts: readonly Mount[]): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const { containerPath, hostPath } of mounts.toSorted(
    (left, right) => left.containerPath.length - right.containerPath.length,
  )) {
    const link = join(root, containerPath);
    try {
      await mkdir(dirname(link), { recursive: true, mode: 0o700 });
      await symlink(hostPath, link);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST' && code !== 'EACCES') throw error; // an exec, or a mount within a volume that has the name already
    }
  }
}
