// npm run storage:stateful [-- --node keelson|kubelet --server keelson|kube]: a StatefulSet whose pods count into volumes of the host path driver
// on a real node, through kills of the agent, the container runtime, the driver and the control plane's helper, an expansion, a drain of the
// node and a scale to nothing. Ends with 1 when a number is missing or twice, or when anything is left.
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers, whyNoKube } from '../../../peers/index.ts';
import { type Client, connect, mergePatch } from '../../../src/client/index.ts';
import { eventually } from '../../real-node/eventually.ts';
import {
  isInNamespaces,
  type RealCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../../real-node/index.ts';
import { podLeftovers } from '../../real-node/pod-leftovers.ts';
import { startKeelsonControllers } from '../controllers.ts';
import { DriverProcess, findHostPath, hostPathDriver } from '../driver-process.ts';
import { Kubectl } from '../kubectl.ts';
import { missingNumbers } from './counted.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: 'keelson' },
    server: { type: 'string', default: 'keelson' },
    logs: { type: 'string', default: join('.keelson', 'stateful-logs') },
  },
});
const LIMIT_MS = 25 * 60_000;
const SETTLE_MS = 180_000;
const ROOT = '/var/lib/kubelet';
const REPLICAS = 3;
const NAME = 'counter';
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';
/** Goes on from the last number in the volume, ten numbers a second. */
const COUNT =
  'n=$(tail -n 1 /data/log 2>/dev/null || echo 0); while true; do n=$((n+1)); echo $n >> /data/log; sleep 0.1; done';

process.exitCode = await main();

async function main(): Promise<number> {
  const agent = values.node === 'kubelet' ? 'kubelet' : 'keelson';
  const controlPlane = values.server === 'kube' ? 'kube' : 'keelson';
  const programs = findPeers(['kubectl']);
  const hostPath = findHostPath();
  const noKube = controlPlane === 'kube' ? whyNoKube(['kube-controller-manager', 'kube-scheduler']) : undefined;
  const missing = programs.paths === undefined ? programs.reason : undefined;
  const noDriver = 'reason' in hostPath ? hostPath.reason : undefined;
  const reason = missing ?? noDriver ?? noKube ?? (isInNamespaces() ? undefined : whyNoRealNode(agent));
  if (programs.paths === undefined || 'reason' in hostPath || reason !== undefined) {
    console.log(`the StatefulSet is left out: ${reason}`);
    return 0;
  }
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  const bundle = resolve('dist', 'keelson.js');
  await using cluster = await startRealCluster({ controlPlane, agent, bundle, print: console.error });
  const { server, node } = cluster;
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'stateful' });
  const folder = join(node.folder, 'storage');
  await mkdir(folder, { recursive: true });
  const program = hostPathDriver(hostPath.path);
  await client.storage.v1.csidrivers.create({ metadata: { name: program.name }, spec: { fsGroupPolicy: 'File' } });
  await using driver = await DriverProcess.start(program, { root: ROOT, node: node.name, folder });
  const [controllers] = startKeelsonControllers({ server, socket: driver.socket, folder, bundle });
  try {
    const kubectl = new Kubectl(programs.paths.kubectl, server.kubeconfig);
    await keepsItsData(cluster, {
      client,
      kubectl,
      driver,
      driverName: program.name,
      canDriverDie: hostPath.isCurrent,
    });
    console.log(`the StatefulSet has kept its data: ${agent} on ${controlPlane}`);
    return 0;
  } catch (error) {
    console.log(`PROBLEM ${(error as Error).message}`);
    return 1;
  } finally {
    await controllers?.stop();
  }
}

interface Around {
  readonly client: Client;
  readonly kubectl: Kubectl;
  readonly driver: DriverProcess;
  readonly driverName: string;
  /** Whether the driver remembers what it has published; release 1.7.2 forgets it when it is killed. */
  readonly canDriverDie: boolean;
}

async function keepsItsData(
  { node }: RealCluster,
  { client, kubectl, driver, driverName, canDriverDie }: Around,
): Promise<void> {
  const sets = client.apps.v1.statefulsets.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  const numbers = new Map<string, number>();

  const ready = (what: string): Promise<void> =>
    until(`${REPLICAS} ready pods ${what}`, async () => {
      const { readyReplicas = 0, updatedReplicas = 0 } = (await sets.get(NAME)).status ?? {};
      return readyReplicas === REPLICAS && updatedReplicas === REPLICAS;
    });
  /** Reads what each pod has counted: from 1 on without a gap, and more than before. */
  const counts = async (what: string): Promise<void> => {
    for (let index = 0; index < REPLICAS; index++) {
      const pod = `${NAME}-${index}`;
      await until(`${pod} counts on ${what}`, async () => {
        const text = await kubectl.run('exec', pod, '--', 'cat', '/data/log');
        const missing = missingNumbers(text);
        if (missing !== undefined) throw new Error(`${pod} ${what}: ${missing}`);
        const count = text.trimEnd().split('\n').length;
        if (count <= (numbers.get(pod) ?? 0)) return false;
        numbers.set(pod, count);
        return true;
      });
    }
    console.log(`ok   ${what}: counted to ${[...numbers.values()].join(', ')}`);
  };

  await client.storage.v1.storageclasses.create({
    metadata: { name: 'counted' },
    provisioner: driverName,
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await sets.create({
    metadata: { name: NAME },
    spec: {
      serviceName: NAME,
      replicas: REPLICAS,
      selector: { matchLabels: { app: NAME } },
      template: {
        metadata: { labels: { app: NAME } },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'count',
              image: IMAGE,
              command: ['sh', '-c', COUNT],
              volumeMounts: [{ name: 'data', mountPath: '/data' }],
            },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            storageClassName: 'counted',
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '16Mi' } },
          },
        },
      ],
    },
  });
  await ready('at first');
  await counts('at first');

  await node.restart('agent', { isKilled: true });
  await ready('after a kill of the agent');
  const restarts = (await pods.list()).items.flatMap(({ status }) => status?.containerStatuses ?? []);
  if (restarts.some(({ restartCount }) => restartCount > 0))
    throw new Error('A container was restarted with the agent');
  await counts('after a kill of the agent');

  process.kill(node.daemon('agent').pid, 'SIGKILL');
  await pods.delete(`${NAME}-0`);
  if (canDriverDie) await driver.restart();
  await node.restart('agent');
  await until('a new pod in place of the one that was deleted while the agent was away', async () => {
    const { metadata, status } = await pods.get(`${NAME}-0`);
    return metadata.deletionTimestamp === undefined && status?.phase === 'Running';
  });
  await ready('after a deletion while the agent was away');
  await counts(`after a deletion while the agent${canDriverDie ? ' and the driver were' : ' was'} away`);

  await node.restart('runtime', { isKilled: true });
  await ready('after a kill of the container runtime');
  await counts('after a kill of the container runtime');

  for (const { metadata } of (await claims.list()).items)
    await claims.patch(metadata.name, mergePatch({ spec: { resources: { requests: { storage: '32Mi' } } } }));
  await until('the claims are expanded', async () => {
    return (await claims.list()).items.every(({ status }) => status?.capacity?.['storage'] === '32Mi');
  });
  await counts('after an expansion');

  await kubectl.run('drain', node.name, '--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=55s');
  const attachments = (await client.storage.v1.volumeattachments.list()).items.length;
  console.log(`ok   drained; ${attachments} volumes are attached`);
  await kubectl.run('uncordon', node.name);
  await ready('after a drain');
  await counts('after a drain');

  await sets.patch(NAME, mergePatch({ spec: { replicas: 0 } }));
  await until('no pods', async () => (await pods.list()).items.length === 0);
  await sets.patch(NAME, mergePatch({ spec: { replicas: REPLICAS } }));
  await ready('after a scale to nothing');
  await counts('after a scale to nothing');

  await sets.delete(NAME);
  await until('no pods', async () => (await pods.list()).items.length === 0);
  for (const { metadata } of (await claims.list()).items) await claims.delete(metadata.name);
  await until('nothing left of pods and volumes', async () => {
    const volumes = (await client.core.v1.persistentvolumes.list()).items.map(({ metadata }) => metadata.name);
    const folders = (await readdir(driver.data)).filter((name) => name !== 'state.json');
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8'))
      .split('\n')
      .filter((line) => line.includes(`${ROOT}/plugins/kubernetes.io/csi`) || line.includes('kubernetes.io~csi'));
    const left = [...volumes, ...folders, ...mounts, ...(await podLeftovers(node.layout))];
    if (left.length > 0) throw new Error(`left: ${left.join(', ')}`);
    return true;
  });
  console.log('ok   nothing is left of pods, mounts and volumes');
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await eventually(
    async () => {
      if (!(await isSo())) throw new Error('it is not so');
    },
    { what, limitMs: SETTLE_MS },
  );
}
