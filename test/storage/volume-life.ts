import type { PersistentVolumeClaimSpec, PodSpec, Volume } from '../../src/api/types/core/v1.d.ts';
import { type Client, mergePatch } from '../../src/client/index.ts';
import {
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from '../../src/controllers/volume-sidecars/index.ts';
import { eventually } from '../real-node/eventually.ts';
import type { Kubectl } from './kubectl.ts';

const LIMIT_MS = 120_000;
const CLASS = 'life';

/** A cluster with a node that has a driver. */
export interface DriverCluster {
  readonly client: Client;
  readonly kubectl: Kubectl;
  /** The name of the driver. */
  readonly driver: string;
  readonly image: string;
  /** Whether containers get devices, and programs that read and write them. */
  readonly hasBlock: boolean;
  /** Whether pods may describe a volume of the driver themselves. */
  readonly hasInline: boolean;
  /** Kills the driver and starts it again. */
  restartDriver(): Promise<void>;
  print(line: string): void;
}

/**
 * Claims become volumes that pods write and read, grow, are copied and restored from snapshots, while the driver is killed in between;
 * in the end nothing is left of them in the cluster. Throws at the first step that fails.
 */
export async function volumeLife(cluster: DriverCluster): Promise<void> {
  const { client, driver, print } = cluster;
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  const snapshots = client.kind(VolumeSnapshot).namespace('default');
  await client.storage.v1.storageclasses.create({
    metadata: { name: CLASS },
    provisioner: driver,
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await client.kind(VolumeSnapshotClass).create({ metadata: { name: CLASS }, driver, deletionPolicy: 'Delete' });

  await claim(cluster, 'data', {});
  await says(cluster, 'writer', { claim: 'data', script: 'echo one > /data/file; cat /data/file', output: 'one\n' });
  print('a claim has a volume, and a pod writes into it');

  await claims.patch('data', mergePatch({ spec: { resources: { requests: { storage: '32Mi' } } } }));
  await until('the volume is larger, or waits for a pod', async () => {
    const { capacity, conditions = [] } = (await claims.get('data')).status ?? {};
    return capacity?.['storage'] === '32Mi' || conditions.some(({ type }) => type === 'FileSystemResizePending');
  });
  await says(cluster, 'after', { claim: 'data', script: 'cat /data/file', output: 'one\n' });
  await until('the claim is expanded', async () => {
    return (await claims.get('data')).status?.capacity?.['storage'] === '32Mi';
  });
  print('it grows, and keeps its data');

  await cluster.restartDriver();
  await snapshots.create({
    metadata: { name: 'before' },
    spec: { volumeSnapshotClassName: CLASS, source: { persistentVolumeClaimName: 'data' } },
  });
  await until('the snapshot is ready', async () => (await snapshots.get('before')).status?.readyToUse === true);
  await says(cluster, 'second', { claim: 'data', script: 'echo two >> /data/file', output: '' });
  const ofSnapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' };
  await claim(cluster, 'restored', { dataSource: ofSnapshot, storage: '32Mi' });
  await says(cluster, 'restored', { claim: 'restored', script: 'cat /data/file', output: 'one\n' });
  print('the driver was killed; a snapshot is taken, and restored');

  await claim(cluster, 'copy', { dataSource: { kind: 'PersistentVolumeClaim', name: 'data' }, storage: '32Mi' });
  await says(cluster, 'copied', { claim: 'copy', script: 'cat /data/file', output: 'one\ntwo\n' });
  print('a claim is a copy of another');

  if (cluster.hasInline) {
    const volume = { name: 'data', csi: { driver, volumeAttributes: { for: 'pod' } } };
    await says(cluster, 'inline', { volume, script: 'echo here > /data/x; cat /data/x', output: 'here\n' });
    print('a pod has a volume of its own');
  }
  if (cluster.hasBlock) {
    await claim(cluster, 'device', { volumeMode: 'Block' });
    const write = 'printf block | dd of=/dev/data conv=fsync 2>/dev/null; head -c 5 /dev/data';
    await says(cluster, 'writes-device', { device: 'device', script: write, output: 'block' });
    await says(cluster, 'reads-device', { device: 'device', script: 'head -c 5 /dev/data', output: 'block' });
    print('a raw block volume keeps what is written to its device');
  }

  await snapshots.delete('before');
  for (const { metadata } of (await claims.list()).items) await claims.delete(metadata.name);
  await until('nothing is left', async () => {
    const kept = [
      (await claims.list()).items,
      (await client.core.v1.persistentvolumes.list()).items,
      (await client.storage.v1.volumeattachments.list()).items,
      (await snapshots.list()).items,
      (await client.kind(VolumeSnapshotContent).list()).items,
    ];
    return kept.every((items) => items.length === 0);
  });
  print('nothing is left of them in the cluster');
}

interface ClaimOptions extends Pick<PersistentVolumeClaimSpec, 'dataSource' | 'volumeMode'> {
  readonly storage?: string;
}

async function claim(
  { client }: DriverCluster,
  name: string,
  { storage = '16Mi', ...rest }: ClaimOptions,
): Promise<void> {
  await client.core.v1.persistentvolumeclaims.namespace('default').create({
    metadata: { name },
    spec: { storageClassName: CLASS, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...rest },
  });
}

interface Saying {
  /** The claim at /data. */
  readonly claim?: string;
  /** The claim whose device is /dev/data. */
  readonly device?: string;
  /** Another volume at /data. */
  readonly volume?: Volume;
  readonly script: string;
  readonly output: string;
}

/** Runs a script in a pod with a volume, compares what it prints, and removes the pod. */
async function says(
  { client, kubectl, image }: DriverCluster,
  name: string,
  { claim: claimName, device, volume, script, output }: Saying,
): Promise<void> {
  const pods = client.core.v1.pods.namespace('default');
  const claimed = { name: 'data', persistentVolumeClaim: { claimName: device ?? claimName ?? '' } };
  const place =
    device === undefined
      ? { volumeMounts: [{ name: 'data', mountPath: '/data' }] }
      : { volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] };
  const spec: PodSpec = {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'main', image, command: ['sh', '-c', script], ...place }],
    volumes: [volume ?? claimed],
  };
  await pods.create({ metadata: { name }, spec });
  await until(`pod ${name} has ended well`, async () => {
    const { phase } = (await pods.get(name)).status ?? {};
    if (phase === 'Failed') throw new Error(`it failed: ${await kubectl.run('logs', name)}`);
    return phase === 'Succeeded';
  });
  const printed = await kubectl.run('logs', name);
  if (printed !== output)
    throw new Error(`Pod ${name} prints ${JSON.stringify(printed)}, not ${JSON.stringify(output)}`);
  await pods.delete(name);
  await until(`pod ${name} is gone`, async () => {
    return !(await pods.list()).items.some(({ metadata }) => metadata.name === name);
  });
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  await eventually(
    async () => {
      if (!(await isSo())) throw new Error('it is not so');
    },
    { what, limitMs: LIMIT_MS },
  );
}
