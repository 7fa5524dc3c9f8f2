import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PodSpec, Volume } from '../../src/api/types/core/v1.d.ts';
import { bindMount, csiDriver, unbindMount } from '../../src/csi/index.ts';
import { eventually } from '../../test/real-node/eventually.ts';
import { PAUSE_IMAGE } from '../../test/real-node/images/suite-images.ts';
import { inTurns } from '../in-turns.ts';
import { median } from '../median.ts';
import { type NodeBench, type NodePart, NAMESPACE } from './part.ts';
import { PodStates } from './pod-states.ts';
import { cpuOf } from './use-over.ts';

const LIMIT_MS = 240_000;
const DRIVER = 'bench.csi.example.com';
const ROOT = '/var/lib/kubelet';
const REPEATS = 3;

/** Volumes of one kind, made before pods use them. */
export interface VolumeKind {
  readonly name: string;
  /** Makes what the volumes of a pod refer to. */
  prepare(bench: NodeBench, slots: readonly string[]): Promise<void>;
  /** A volume for the pod in a slot; one pod after the other has the same ones. */
  volume(slot: string, index: number): Volume;
}

/** What Kubernetes mounts by itself: a quarter each of folders, ConfigMaps, Secrets and fields of the pod. */
export const plainVolumes: VolumeKind = {
  name: 'emptyDir, ConfigMap, Secret and downward',
  async prepare({ client }) {
    const metadata = { name: 'content' };
    await client.core.v1.configmaps.namespace(NAMESPACE).create({ metadata, data: { file: 'text' } });
    await client.core.v1.secrets.namespace(NAMESPACE).create({ metadata, stringData: { file: 'text' } });
  },
  volume(_, index) {
    const name = `volume-${index}`;
    switch (index % 4) {
      case 0:
        return { name, emptyDir: {} };
      case 1:
        return { name, configMap: { name: 'content' } };
      case 2:
        return { name, secret: { secretName: 'content' } };
      default:
        return { name, downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } };
    }
  },
};

/** Bound claims of a CSI driver that binds folders; it stages and publishes, and attaches nothing. */
export const claimedVolumes = (count: number): VolumeKind => ({
  name: 'claims of a CSI driver',
  async prepare(bench, slots) {
    const { core, storage } = bench.client;
    await storage.v1.csidrivers.create({ metadata: { name: DRIVER }, spec: { attachRequired: false } });
    const claims = core.v1.persistentvolumeclaims.namespace(NAMESPACE);
    const ids = slots.flatMap((slot) => Array.from({ length: count }, (_, index) => `${slot}-${index}`));
    await inTurns(ids.length, async (at) => {
      const name = ids[at] ?? '';
      await mkdir(folderOf(bench, name), { recursive: true });
      const size = { storage: '1Gi' };
      const accessModes = ['ReadWriteOnce'] as const;
      await core.v1.persistentvolumes.create({
        metadata: { name },
        spec: {
          ...{ capacity: size, accessModes, storageClassName: '', claimRef: { namespace: NAMESPACE, name } },
          csi: { driver: DRIVER, volumeHandle: name },
        },
      });
      const resources = { requests: size };
      await claims.create({
        metadata: { name },
        spec: { accessModes, resources, storageClassName: '', volumeName: name },
      });
    });
    await eventually(
      async () => {
        const { items } = await claims.list();
        const bound = items.filter(({ status }) => status?.phase === 'Bound').length;
        if (bound < ids.length) throw new Error(`${bound} of ${ids.length} claims are bound`);
        const { spec } = await storage.v1.csinodes.get(bench.node.name);
        if (!spec.drivers.some(({ name }) => name === DRIVER)) throw new Error('the driver is not registered');
      },
      { what: 'bound claims and a registered driver', limitMs: LIMIT_MS },
    );
  },
  volume: (slot, index) => ({
    name: `volume-${index}`,
    persistentVolumeClaim: { claimName: `${slot}-${index}` },
  }),
});

function folderOf({ node }: NodeBench, id: string): string {
  return join(node.folder, 'bench-volumes', id);
}

/** The driver of the claims, in this process, until the signal aborts. */
export async function serveBenchDriver(
  bench: NodeBench,
  signal: AbortSignal,
): Promise<{ readonly running: Promise<void> }> {
  const folder = join(ROOT, 'plugins', DRIVER);
  await mkdir(folder, { recursive: true });
  const driver = csiDriver({
    name: DRIVER,
    version: '1.0.0',
    node: {
      id: bench.node.name,
      stage: ({ id }, { stagingPath }) => bindMount(folderOf(bench, id), stagingPath),
      unstage: (_, { stagingPath }) => unbindMount(stagingPath),
      publish: ({ id }, { targetPath }) => bindMount(folderOf(bench, id), targetPath),
      unpublish: (_, { targetPath }) => unbindMount(targetPath),
    },
  });
  const served = driver.serve({ listen: `unix://${folder}/csi.sock`, registerIn: join(ROOT, 'plugins_registry') });
  const running = served.run(signal);
  await served.listening();
  return { running };
}

/** This many pods at once, each with this many volumes, several times. */
export function volumePart(
  kind: VolumeKind,
  { pods: podCount, volumes }: { readonly pods: number; readonly volumes: number },
): NodePart {
  return {
    name: `${podCount} pods with ${volumes} volumes: ${kind.name}`,
    async measure(bench) {
      const slots = Array.from({ length: podCount }, (_, index) => `with-${volumes}-${index}`);
      await kind.prepare(bench, slots);
      const pods = bench.client.core.v1.pods.namespace(NAMESPACE);
      await using states = await PodStates.watch(pods);
      const [readyMs, goneMs, agentMs]: [number[], number[], number[]] = [[], [], []];
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        // a name that was used before would be taken for gone already; the volumes are the same each time
        const slotOf = new Map(slots.map((slot) => [`${slot}-try-${repeat}`, slot]));
        const names = [...slotOf.keys()];
        const before = cpuOf(bench.node);
        const sent = await sendAll(names, (name) =>
          pods.create({ metadata: { name }, spec: specOf(bench, kind, { slot: slotOf.get(name) ?? '', volumes }) }),
        );
        await states.until(names, 'ready', { limitMs: LIMIT_MS });
        agentMs.push((cpuOf(bench.node).agentMs - before.agentMs) / podCount);
        for (const [name, sentMs] of sent) readyMs.push(states.at(name, 'ready') - sentMs);
        const deleted = await sendAll(names, (name) => pods.delete(name));
        await states.until(names, 'gone', { limitMs: LIMIT_MS });
        for (const [name, sentMs] of deleted) goneMs.push(states.at(name, 'gone') - sentMs);
      }
      const what = `${podCount} ${podCount === 1 ? 'pod' : 'pods at once'} with ${volumes} volumes (${kind.name})`;
      const add = (name: string, value: number): void =>
        bench.add({ name: `${what}: ${name}`, unit: 'ms', better: 'lower' }, value);
      add('created until Ready, p50', median(readyMs));
      add('created until Ready, max', Math.max(...readyMs));
      add('deleted until gone, p50', median(goneMs));
      add("the agent's processor time for the start of each", median(agentMs));
    },
  };
}

async function sendAll(
  names: readonly string[],
  send: (name: string) => Promise<unknown>,
): Promise<Map<string, number>> {
  const sent = new Map<string, number>();
  await inTurns(names.length, async (index) => {
    const name = names[index] ?? '';
    sent.set(name, performance.now());
    await send(name);
  });
  return sent;
}

function specOf(
  { node }: NodeBench,
  kind: VolumeKind,
  { slot, volumes: count }: { readonly slot: string; readonly volumes: number },
): PodSpec {
  const volumes = Array.from({ length: count }, (_, index) => kind.volume(slot, index));
  const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/data/${volume.name}` }));
  const containers = [{ name: 'main', image: PAUSE_IMAGE, volumeMounts }];
  return { nodeName: node.name, terminationGracePeriodSeconds: 5, containers, volumes };
}
