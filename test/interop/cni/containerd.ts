// `npm run interop:cni:containerd [-- --network kit|up --agent keelson|kubelet]`: pods of containerd whose network the kit's example plugins make,
// or the CNI project's plugins as `keelson up` configures them.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers, runProgram } from '../../../peers/index.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import { eventually } from '../../real-node/eventually.ts';
import {
  type AgentName,
  isAgent,
  isInNamespaces,
  type RealNode,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../../real-node/index.ts';
import { bundlePlugin } from '../../support/bundle-plugin.ts';

const root = resolve(import.meta.dirname, '..', '..', '..');
const { values } = parseArgs({
  options: {
    network: { type: 'string', default: 'kit' },
    agent: { type: 'string', default: 'keelson' },
    logs: { type: 'string' },
  },
});
const LIMIT_MS = 15 * 60_000;
const STEP_MS = 120_000;
const SUBNET = '10.66.0.0/24';
const NONE = { proxy: 'none', dns: 'none', policy: 'none' } as const;

process.exitCode = await main(values.agent);

async function main(agent: string): Promise<number> {
  if (!isAgent(agent)) throw new Error(`--agent must be keelson or kubelet, got "${agent}"`);
  const reason = isInNamespaces() ? undefined : whyNoRealNode(agent, NONE);
  if (reason !== undefined) {
    console.error(`interop:cni:containerd does not run: ${reason}`);
    return 1;
  }
  const logs = resolve(values.logs ?? join(root, '.keelson', 'cni-logs'));
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.log, logs });
  if (code !== undefined) return code;
  if (values.network === 'up') await tryWrittenNetwork();
  else await tryKitPlugins(agent);
  return 0;
}

/** `keelson up` configures the network by itself: pods get addresses of the node's range. */
async function tryWrittenNetwork(): Promise<void> {
  const bundle = join(root, 'dist', 'keelson.js');
  const options = { controlPlane: 'keelson', agent: 'keelson', mode: 'up', bundle, print: console.log } as const;
  await using cluster = await startRealCluster(options);
  await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
  const files = await readdir(cluster.node.layout.networkFolder);
  expect(files.join() === '99-keelson.conflist', `the folder of networks has ${files.join()}`);
  const address = await startPod(client, cluster.server.kubeconfig);
  const { spec } = await client.core.v1.nodes.get(cluster.node.name);
  const range = spec?.podCIDR ?? '';
  expect(address.startsWith(range.replace(/\.0\/24$/, '.')), `the pod has ${address}, the node ${range}`);
  console.log(`ok   pod has ${address} of the node's range ${range}`);
  await client.core.v1.pods.namespace('default').delete('kit');
}

/** A chain of the kit's examples in containerd: what a pod gets, and what is left when it is gone. */
async function tryKitPlugins(agent: AgentName): Promise<void> {
  const bundle = join(root, 'dist', 'keelson.js');
  const options = { controlPlane: 'keelson', agent, network: NONE, bundle, print: console.log } as const;
  await using cluster = await startRealCluster(options);
  await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
  const { layout } = cluster.node;
  const state = join(layout.folder, 'kit');
  await installPlugins(layout.pluginFolder);
  const chain = {
    cniVersion: '1.1.0',
    name: 'kit',
    plugins: [
      { type: 'keelson-bridge', bridge: 'kit0', subnet: SUBNET, stateDir: join(state, 'bridge') },
      { type: 'portmap', capabilities: { portMappings: true } },
      { type: 'keelson-tuning', sysctl: { 'net.core.somaxconn': '777' } },
      { type: 'keelson-metadata', folder: join(state, 'metadata') },
    ],
  };
  await writeFile(join(layout.networkFolder, '05-kit.conflist'), JSON.stringify(chain));
  await untilNetwork(cluster.node);
  await runPod(client, cluster.server.kubeconfig, state);
  console.log(`ok   containerd with the kit's plugins under ${agent}`);
}

/** Programs that containerd starts: one file each, as the guide says. */
async function installPlugins(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [type, example] of [
    ['keelson-bridge', 'cni-bridge'],
    ['keelson-tuning', 'cni-tuning'],
    ['keelson-metadata', 'cni-metadata'],
  ] as const)
    await bundlePlugin(join(root, 'examples', example, 'main.ts'), join(folder, type));
}

/** containerd reads its folder again when it changes, and says so. */
async function untilNetwork(node: RealNode): Promise<void> {
  const log = join(node.folder, 'runtime.log');
  await eventually(
    async () => {
      if (!(await readFile(log, 'utf8')).includes('05-kit.conflist'))
        throw new Error('it has not read its networks again');
    },
    { what: 'the new network of containerd', limitMs: STEP_MS, daemons: [node.daemon('runtime')] },
  );
}

/** Starts a pod that prints its network; returns its address. */
async function startPod(client: Client, kubeconfig: string): Promise<string> {
  const pods = client.core.v1.pods.namespace('default');
  await eventually(() => client.core.v1.serviceaccounts.namespace('default').get('default'), {
    what: 'the service account',
    limitMs: STEP_MS,
  });
  const image = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';
  const command = ['sh', '-c', 'cat /proc/sys/net/core/somaxconn; ip -o address show eth0; sleep 3600'];
  const spec = { containers: [{ name: 'main', image, command }], terminationGracePeriodSeconds: 0 };
  await pods.create({ metadata: { name: 'kit' }, spec });
  const address = await eventually(
    async () => {
      const { status } = await pods.get('kit');
      if (status?.phase === 'Running' && status.podIP !== undefined) return status.podIP;
      throw new Error(`it is ${JSON.stringify(status)}`);
    },
    { what: 'a running pod', limitMs: STEP_MS },
  );
  const printed = await eventually(() => logOf(kubeconfig), { what: 'the log', limitMs: STEP_MS });
  expect(printed.includes(` ${address}/`), `the interface of the pod: ${JSON.stringify(printed)}`);
  return address;
}

async function runPod(client: Client, kubeconfig: string, state: string): Promise<void> {
  const address = await startPod(client, kubeconfig);
  expect(address.startsWith('10.66.0.'), `the pod has ${address}, which is not of ${SUBNET}`);
  const [file = ''] = await readdir(join(state, 'metadata'));
  const text = await readFile(join(state, 'metadata', file), 'utf8');
  expect(text.includes('"name":"kit"') && text.includes(`"${address}"`), `the metadata is ${text}`);
  const printed = await logOf(kubeconfig);
  expect(printed.startsWith('777\n'), `net.core.somaxconn in the pod: ${JSON.stringify(printed)}`);
  console.log(`ok   pod has ${address}, its kernel parameter and its metadata`);
  await client.core.v1.pods.namespace('default').delete('kit');
  await eventually(
    async () => {
      const left = [...(await readdir(join(state, 'metadata'))), ...(await readdir(join(state, 'bridge', 'kit')))];
      const files = left.filter((name) => name !== 'last-0');
      if (files.length > 0) throw new Error(`${files.join()} is left`);
    },
    { what: 'DEL', limitMs: STEP_MS },
  );
  console.log('ok   nothing is left of the pod');
}

async function logOf(kubeconfig: string): Promise<string> {
  const kubectl = findPeers(['kubectl']).paths?.kubectl ?? 'kubectl';
  const text = await runProgram([kubectl, `--kubeconfig=${kubeconfig}`, 'logs', 'kit']);
  if (!text.includes('eth0')) throw new Error(`the log is not whole: ${text}`);
  return text;
}

function expect(condition: boolean, seen: string): asserts condition {
  if (!condition) throw new Error(seen);
}
