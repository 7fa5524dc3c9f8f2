// `npm run real-node -- COMMAND...`: a control plane with a real node, for as long as the command runs.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers, whyNoKube } from '../../peers/index.ts';
import {
  clusterFlags,
  type ClusterParts,
  isInNamespaces,
  NETWORK_USAGE,
  type RealCluster,
  readCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from './index.ts';

const root = resolve(import.meta.dirname, '..', '..');
const USAGE = `usage: npm run real-node -- [FLAGS] COMMAND...

Starts a control plane, containerd, a kubelet, kube-proxy and CoreDNS in namespaces of their own, runs the command there and takes all away.
The command finds kubectl, $KUBECONFIG, $NODE_NAME, and the process ids $SERVER_PID, $RUNTIME_PID, $AGENT_PID, $PROXY_PID, $DNS_PID, $POLICY_PID.
  --server keelson|kube  Ours (default), or kube-apiserver with etcd, controllers and scheduler
  --node NAME            kubelet (default), or keelson for our own agent
${NETWORK_USAGE}
  --nodes N              Nodes in namespaces of their own, with routes between their pods (default 1)
  --minutes N            End everything after this long (default 60)
  --logs DIR             Keep the logs of the parts there (default .keelson/real-node-logs)
  --bundle FILE          Start this keelson.js instead of building one

Example: npm run real-node -- kubectl get nodes -o wide`;
const MAX_MINUTES = 1440;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const flags = args.slice(0, commandStart(args));
  const command = args.slice(flags.length).filter((arg, index) => index > 0 || arg !== '--');
  const { values } = parseArgs({
    args: [...flags],
    options: {
      ...clusterFlags,
      minutes: { type: 'string', default: '60' },
      logs: { type: 'string', default: join(root, '.keelson', 'real-node-logs') },
      bundle: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes);
  if (command.length === 0 || !Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES) {
    console.error(USAGE);
    return 2;
  }
  let parts: ClusterParts;
  try {
    parts = readCluster(values);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const { controlPlane, agent, network } = parts;
  const bundle = values.bundle ?? join(root, 'dist', 'keelson.js');
  if (!isInNamespaces()) {
    const kube = ['kube-controller-manager', 'kube-scheduler'] as const;
    const reason = whyNoRealNode(agent, network) ?? (controlPlane === 'kube' ? whyNoKube(kube) : undefined);
    if (reason !== undefined) {
      console.log(`the node is left out: ${reason}`);
      return 0;
    }
    if (values.bundle === undefined) build();
  }
  const code = await runInNamespaces({ limitMs: minutes * 60_000, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  await using cluster = await startRealCluster({ ...parts, bundle, print: console.error });
  return await run(command, cluster); // awaited here: the cluster ends when this function does
}

/** Where our flags, each with a value, end. */
function commandStart(args: readonly string[]): number {
  let at = 0;
  while (at < args.length && args[at] !== '--' && args[at]?.startsWith('--') === true)
    at += args[at]?.includes('=') === true ? 1 : 2;
  return at;
}

function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--bundles-only'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('Cannot build the bundle');
}

async function run([program = '', ...args]: readonly string[], { server, node }: RealCluster): Promise<number> {
  const pids = node.parts.map((part) => [`${part.toUpperCase()}_PID`, String(node.daemon(part).pid)] as const);
  const kubectl = findPeers(['kubectl']).paths?.kubectl;
  const path = [...(kubectl === undefined ? [] : [dirname(kubectl)]), process.env['PATH'] ?? ''].join(':');
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...Object.fromEntries(pids),
      PATH: path,
      KUBECONFIG: server.kubeconfig,
      NODE_NAME: node.name,
      SERVER_PID: String(server.daemons.find(({ name }) => name !== 'etcd')?.pid ?? 0),
    },
  });
  const end = (): void => void child.kill('SIGTERM');
  process.once('SIGTERM', end);
  const [code] = (await once(child, 'close')) as [number | null];
  process.removeListener('SIGTERM', end);
  return code ?? 1;
}
