// `npm run interop:devices:node [-- --node kubelet|keelson --driver example,kit]`: the example DRA driver and a driver of the kit on a real
// node, beside Kubernetes' kubelet or our agent: pods with claims of their own and shared ones run with what CDI files say, survive a restart of the agent and of the
// driver, and leave nothing.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { findPeer } from '../../../peers/index.ts';
import { type Client, connect, podLog } from '../../../src/client/index.ts';
import { eventually } from '../../real-node/eventually.ts';
import {
  clusterFlags,
  isInNamespaces,
  readCluster,
  type RealCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../../real-node/index.ts';

const { values } = parseArgs({
  options: {
    ...clusterFlags,
    driver: { type: 'string', default: 'example,kit' },
    logs: { type: 'string', default: join('.keelson', 'dra-logs') },
  },
});
const LIMIT_MS = 15 * 60_000;
/** A kubelet tries a pod that has failed again after up to 90 seconds. */
const STEP_MS = 150_000;
const KUBELET_DIR = '/var/lib/kubelet';
const CDI_DIR = '/var/run/cdi';
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';

/** A driver as a program of the node, and the variable by which containers see their devices. */
interface TriedDriver {
  readonly name: string;
  readonly command: readonly string[];
  readonly devicesIn: (environment: string) => readonly string[];
}

process.exitCode = await main();

async function main(): Promise<number> {
  const parts = readCluster(values);
  const example = findPeer('dra-example-kubeletplugin');
  const reason = isInNamespaces() ? example.reason : (whyNoRealNode(parts.agent, parts.network) ?? example.reason);
  if (reason !== undefined) {
    console.log(`left out: ${reason}`);
    return 0;
  }
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  const folder = await mkdtemp(join(tmpdir(), 'dra-kit-'));
  try {
    await using cluster = await startRealCluster({ ...parts, print: console.error });
    await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
    const drivers = await driversFor(cluster, { example: example.path ?? '', folder });
    for (const driver of drivers.filter(({ name }) => values.driver.split(',').includes(name)))
      await tryDriver(driver, { client, cluster });
    console.log('all as expected');
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function driversFor(
  { node, server }: RealCluster,
  { example, folder }: { readonly example: string; readonly folder: string },
): Promise<readonly TriedDriver[]> {
  const outfile = join(folder, 'kit-dra.mjs');
  await build({
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning', outfile },
    entryPoints: [join(import.meta.dirname, 'kit-dra.ts')],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return [
    {
      name: 'example',
      command: [
        ...[example, '--node-name', node.name, '--kubeconfig', server.kubeconfig],
        ...['--cdi-root', CDI_DIR, '--driver-name', 'example.example.com', '--num-devices', '4'],
      ],
      devicesIn: (text) => [...text.matchAll(/^GPU_DEVICE_\d+=(\S+)$/gm)].map(([, name = '']) => name),
    },
    {
      name: 'kit',
      command: [process.execPath, outfile, KUBELET_DIR, CDI_DIR],
      devicesIn: (text) => (/^GPUS=(\S+)$/m.exec(text)?.[1] ?? '').split(',').filter((name) => name !== ''),
    },
  ];
}

interface Place {
  readonly client: Client;
  readonly cluster: RealCluster;
}

async function tryDriver({ name, command, devicesIn }: TriedDriver, { client, cluster }: Place): Promise<void> {
  const say = (what: string): void => console.log(`ok    ${name}: ${what}`);
  const step = async <T>(what: string, attempt: () => Promise<T>): Promise<T> => {
    const result = await eventually(attempt, { what, limitMs: STEP_MS });
    say(what);
    return result;
  };
  const { node, server } = cluster;
  const start = (): ReturnType<typeof spawn> => {
    const [program = '', ...args] = command;
    const env = { ...process.env, KUBECONFIG: server.kubeconfig, NODE_NAME: node.name };
    return spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  };
  const driverName = `${name}.example.com`;
  const pods = client.core.v1.pods.namespace('default');
  const claims = client.resource.v1.resourceclaims.namespace('default');
  const slices = client.resource.v1.resourceslices;
  let driver = start();
  try {
    await step('the devices are published', async () => {
      const { items } = await slices.list({ fieldSelector: `spec.driver=${driverName}` });
      expect(items.length === 1 && (items[0]?.spec.devices ?? []).length > 0, `${items.length} slices`);
    });
    await client.resource.v1.deviceclasses.create({
      metadata: { name: driverName },
      spec: { selectors: [{ cel: { expression: `device.driver == "${driverName}"` } }] },
    });
    for (const claim of ['own', 'shared'])
      await claims.create({
        metadata: { name: `${name}-${claim}` },
        spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: driverName } }] } },
      });
    const before: readonly string[] = await readdir(CDI_DIR).catch(() => []);
    const create = (pod: string, ...names: readonly string[]): Promise<unknown> =>
      pods.create({
        metadata: { name: `${name}-${pod}` },
        spec: {
          terminationGracePeriodSeconds: 1,
          resourceClaims: names.map((each) => ({ name: each, resourceClaimName: `${name}-${each}` })),
          containers: [
            {
              ...{ name: 'main', image: IMAGE, command: ['sh', '-c', 'env; exec sleep 3600'] },
              resources: { claims: names.map((each) => ({ name: each })) },
            },
          ],
        },
      });
    const devicesOf = async (pod: string): Promise<readonly string[]> => {
      let log = '';
      for await (const text of podLog(pods, `${name}-${pod}`)) log += text;
      return devicesIn(log);
    };
    await create('first', 'own');
    await create('second', 'shared');
    await create('third', 'shared');
    const [own = ''] = await step('a pod runs with its device', async () => {
      const devices = await devicesOf('first');
      expect(devices.length === 1, `devices: ${devices.join()}`);
      return devices;
    });
    await step('two pods share the device of one claim', async () => {
      const [second, third] = [await devicesOf('second'), await devicesOf('third')];
      expect(
        second.length === 1 && second.join() === third.join() && second[0] !== own,
        `${second.join()}, ${third.join()}`,
      );
    });
    await step('the statuses of the pods show the devices', async () => {
      const { status } = await pods.get(`${name}-first`);
      const [shown] = status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? [];
      expect(shown?.name === 'claim:own' && shown.resources?.length === 1, JSON.stringify(shown));
    });
    await node.restart('agent', { isKilled: true });
    driver.kill('SIGKILL');
    await new Promise((done) => driver.once('exit', done));
    await pods.delete(`${name}-first`);
    driver = start();
    await step('a pod ends though agent and driver were killed', async () => {
      const { items } = await pods.list();
      expect(!items.some(({ metadata }) => metadata.name === `${name}-first`), 'it is still there');
    });
    await step('the slices are back', async () => {
      const { items } = await slices.list({ fieldSelector: `spec.driver=${driverName}` });
      expect(items.length === 1, `${items.length} slices`);
    });
    await create('fourth', 'own');
    await step('the device goes to the next pod', async () => {
      const devices = await devicesOf('fourth');
      expect(devices.length === 1, `devices: ${devices.join()}`);
    });
    for (const pod of ['second', 'third', 'fourth']) await pods.delete(`${name}-${pod}`);
    await step('no CDI file of a claim is left', async () => {
      const left = (await readdir(CDI_DIR)).filter((file) => !before.includes(file) && !file.includes('common'));
      expect(left.length === 0, left.join());
    });
    driver.kill('SIGTERM');
    await step('the slices of a driver that was stopped are removed', async () => {
      const { items } = await slices.list({ fieldSelector: `spec.driver=${driverName}` });
      expect(items.length === 0, `${items.length} slices`);
    });
  } finally {
    driver.kill('SIGKILL');
    for (const claim of ['own', 'shared']) await claims.delete(`${name}-${claim}`).catch(() => undefined); // the cluster ends with the run
  }
}

function expect(holds: boolean, seen: string): void {
  if (!holds) throw new Error(seen);
}
