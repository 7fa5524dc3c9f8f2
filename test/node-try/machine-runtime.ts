import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runProgram } from '../../peers/index.ts';

const SOCKET = 'unix://';
const NETWORKS = '/etc/cni/net.d';

/** A container runtime that can be used. */
export interface TryRuntime {
  /** `unix:///run/containerd/containerd.sock` */
  readonly endpoint: string;
  /** The command line of ctr, up to its namespace. */
  readonly ctr: readonly string[];
  /** The image of the first container of each pod. */
  readonly sandboxImage: string;
}

/** The runtime of this machine, or what it lacks. */
export async function machineRuntime(endpoint: string): Promise<TryRuntime | { readonly missing: string }> {
  const missing = await missingFor(endpoint);
  if (missing !== undefined) return { missing };
  const ctr = ['ctr', '--address', endpoint.slice(SOCKET.length), '--namespace', 'k8s.io'];
  const dump = await runProgram(['containerd', 'config', 'dump']);
  const sandboxImage = /^\s*sandbox(?:_image)? = ["']([^"']+)["']/m.exec(dump)?.[1];
  if (sandboxImage === undefined)
    return { missing: '"containerd config dump" names no sandbox image: is its CRI plugin turned off?' };
  return { endpoint, ctr, sandboxImage };
}

async function missingFor(endpoint: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'Linux: containers need its kernel';
  if (process.getuid?.() !== 0) return 'root: run "sudo npm run node:try"';
  const program = ['containerd', 'ctr', 'kubectl'].find((name) => !isOnPath(name));
  if (program !== undefined)
    return `"${program}": on Debian and Ubuntu, "apt-get install containerd" has containerd and ctr; kubectl is at kubernetes.io/docs/tasks/tools`;
  if (!endpoint.startsWith(SOCKET)) return `a socket of containerd; "${endpoint}" does not begin with ${SOCKET}`;
  if (!existsSync(endpoint.slice(SOCKET.length)))
    return `a running containerd: there is no socket at ${endpoint.slice(SOCKET.length)}; "systemctl start containerd" starts it`;
  const networks = await readdir(NETWORKS).catch(() => []);
  if (!networks.some((name) => /\.(conf|conflist|json)$/.test(name)))
    return `a network for pods: ${NETWORKS} is empty; "apt-get install containernetworking-plugins" and docs/guides/real-nodes.md has a file for it`;
  return undefined;
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
