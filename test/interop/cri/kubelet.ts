// `npm run interop:cri:kubelet [-- --pods N --minutes M]`: Kubernetes' kubelet runs pods on `keelson cri`, in namespaces of their own.
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Daemon, findPeer, startKeelson } from '../../../peers/index.ts';
import { type Client, connect } from '../../../src/client/index.ts';
import { eventually } from '../../real-node/eventually.ts';
import { nodeAgents, runInNamespaces, whyNoNamespaces } from '../../real-node/index.ts';
import { room } from '../../real-node/namespaces.ts';
import { NodeCredentials } from '../../real-node/node-credentials.ts';
import { NODE_ADDRESS, nodeLayout } from '../../real-node/node-layout.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '25' },
    logs: { type: 'string' },
  },
});
const PODS = Number(values.pods);
/** How long pods may take to start, and then to go. */
const PHASE_MS = Number(values.minutes) * 60_000;
const LIMIT_MS = 2 * PHASE_MS + 5 * 60_000;
const LOOK_EVERY_MS = 5000;
const TELL_EVERY_MS = 30_000;
const BATCH = 50;
const RUNTIME_SOCKET = '/run/keelson/cri.sock';

/** No cgroups for pods that have no processes, and as many requests as are needed. */
const MANY_PODS = {
  maxPods: PODS + 10,
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  kubeAPIQPS: 2000,
  kubeAPIBurst: 4000,
  eventRecordQPS: 0,
  registryPullQPS: 0,
};

process.exitCode = await main();

async function main(): Promise<number> {
  const reason = findPeer('kubelet').reason ?? whyNoNamespaces();
  if (reason !== undefined) {
    console.error(`interop:cri:kubelet does not run: ${reason}`);
    return 1;
  }
  const logs = values.logs === undefined ? {} : { logs: resolve(values.logs) };
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.log, ...logs });
  if (code !== undefined) return code;
  return (await runPods()) ? 0 : 1;
}

async function runPods(): Promise<boolean> {
  const bundle = resolve('dist', 'keelson.js');
  const layout = { ...nodeLayout(room()), runtimeSocket: RUNTIME_SOCKET };
  await mkdir(layout.folder, { recursive: true });
  await mkdir('/run/keelson', { recursive: true });
  const server = await startKeelson({
    folder: join(room(), 'server'),
    bundle,
    flags: [
      '--nodes=0',
      '--bind-address=0.0.0.0',
      `--advertise-address=${NODE_ADDRESS}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--cluster-cidr=10.128.0.0/9',
      '--node-cidr-mask-size=16',
    ],
  });
  const log = (name: string): { readonly logPath: string } => ({ logPath: join(layout.folder, `${name}.log`) });
  const runtimeArgs = [bundle, 'cri', `--listen=unix://${RUNTIME_SOCKET}`, '--log-level=info'];
  await using runtime = new Daemon(process.execPath, runtimeArgs, log('runtime'));
  await eventually(() => access(RUNTIME_SOCKET), { what: 'a runtime', limitMs: 60_000, daemons: [runtime] });
  const credentials = await NodeCredentials.read(server);
  const { program, args } = await nodeAgents.kubelet.prepare(layout, { server, bundle, credentials });
  const path = join(layout.folder, 'kubelet.json');
  const config = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...config, ...MANY_PODS }, null, 2));
  await writeFile(join(layout.folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  await using kubelet = new Daemon(program, args, log('kubelet'));
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
  const daemons = [runtime, kubelet];
  await eventually(() => nodeIsReady(client, layout.name), { what: 'a ready node', limitMs: 120_000, daemons });
  console.log(`node ${layout.name} is ready`);
  const isDone = await measure(client, layout.name, { runtime, kubelet, daemons });
  await server.stop();
  return isDone;
}

async function nodeIsReady(client: Client, name: string): Promise<void> {
  const { status } = await client.core.v1.nodes.get(name);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') throw new Error(`the node is not ready: ${ready?.message ?? 'it has no status'}`);
}

interface Parts {
  readonly runtime: Daemon;
  readonly kubelet: Daemon;
  readonly daemons: readonly Daemon[];
}

/** False when not all pods ran in time. */
async function measure(client: Client, nodeName: string, { runtime, kubelet, daemons }: Parts): Promise<boolean> {
  const pods = client.core.v1.pods.namespace('default');
  const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
  const tell = async (): Promise<void> => {
    for (const daemon of [runtime, kubelet])
      console.log(`  ${daemon.name} (pid ${daemon.pid}): ${await usageOf(daemon)}`);
  };
  /** Looks at all pods until that is enough, and says how far they are; false when the time is over. */
  const wait = async (since: number, isEnough: (running: number, all: number) => boolean): Promise<boolean> => {
    for (let toldAt = performance.now(); ; await sleep(LOOK_EVERY_MS)) {
      const failure = daemons.map((daemon) => daemon.failure).find((each) => each !== undefined);
      if (failure !== undefined) throw new Error(failure);
      const { items } = await pods.list();
      const running = items.filter(({ status }) => status?.phase === 'Running').length;
      const failed = items.find(({ status }) => status?.phase === 'Failed');
      if (failed !== undefined) console.log(`${failed.metadata.name} has failed: ${failed.status?.message ?? ''}`);
      if (isEnough(running, items.length)) return true;
      const isOver = performance.now() - since > PHASE_MS;
      if (isOver || performance.now() - toldAt > TELL_EVERY_MS) {
        toldAt = performance.now();
        console.log(`${running} of ${items.length} pods run after ${seconds(since)}`);
        await tell();
      }
      if (isOver) return false;
    }
  };
  const began = performance.now();
  for (let made = 0; made < PODS; made += BATCH)
    await Promise.all(
      Array.from({ length: Math.min(BATCH, PODS - made) }, (_, index) =>
        pods.create({
          metadata: { name: `pod-${made + index}` },
          spec: {
            nodeName,
            automountServiceAccountToken: false,
            terminationGracePeriodSeconds: 5,
            containers: [
              { name: 'web', image: 'busybox:1.37', command: ['sh', '-c', 'echo hello from $HOSTNAME; sleep 100000'] },
            ],
          },
        }),
      ),
    );
  console.log(`${PODS} pods are created after ${seconds(began)}`);
  if (!(await wait(began, (running) => running === PODS))) return false;
  console.log(`${PODS} pods run after ${seconds(began)}`);
  const shown = await pods.get('pod-0');
  console.log(
    `pod-0: ${shown.status?.podIP ?? 'no address'}, ${shown.status?.containerStatuses?.[0]?.containerID ?? ''}`,
  );
  await tell();
  const deleting = performance.now();
  const { items } = await pods.list();
  for (let at = 0; at < items.length; at += BATCH)
    await Promise.all(items.slice(at, at + BATCH).map(({ metadata }) => pods.delete(metadata.name)));
  if (!(await wait(deleting, (_, all) => all === 0))) return false;
  console.log(`all pods are gone after ${seconds(deleting)}`);
  await tell();
  return true;
}

/** Memory and processor time of a process so far. */
async function usageOf({ pid }: Daemon): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return `${Math.round(kilobytes / 1024)} MB, ${(ticks / 100).toFixed(1)} s of processor time`;
}
