import {
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  type Stored,
} from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';

type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;
type VolumeSpec = Partial<NonNullable<PersistentVolume['spec']>>;

/** The spec of a claim with an empty class, which prevents the default one. */
export function claimSpec(storage = '1Gi'): ClaimSpec {
  return { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, storageClassName: '' };
}

export async function claim(
  world: ScenarioWorld,
  name: string,
  spec: ClaimSpec,
): Promise<Stored<PersistentVolumeClaim>> {
  return await world.create(PersistentVolumeClaim, { metadata: { name }, spec });
}

/** A 5Gi hostPath volume with policy Retain, with the given changes; null removes a member. */
export async function volume(
  world: ScenarioWorld,
  name: string,
  {
    hostPath = { path: '/srv/none' },
    ...spec
  }: Omit<VolumeSpec, 'hostPath'> & { hostPath?: VolumeSpec['hostPath'] | null } = {},
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  await world.create(PersistentVolume, {
    metadata: { name, labels: { ...labels, sample: 'yes' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '5Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      ...(hostPath === null ? {} : { hostPath }),
      ...spec,
    },
  });
}

export async function storageClass(
  world: ScenarioWorld,
  name: string,
  { annotations = {}, ...options }: Partial<StorageClass> & { annotations?: Readonly<Record<string, string>> },
): Promise<void> {
  const provisioner = 'csi.example.com';
  await world.create(StorageClass, { metadata: { name, annotations: { ...annotations } }, provisioner, ...options });
}

/** A pod that stays unscheduled. */
export async function podUsing(world: ScenarioWorld, name: string, claimName: string): Promise<void> {
  await world.create(Pod, {
    metadata: { name },
    spec: {
      containers: [{ name: 'c', image: 'nginx' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });
}

/** Triggers a sync of the claim. */
export async function touch(world: ScenarioWorld, name: string): Promise<void> {
  const { metadata } = await world.of(PersistentVolumeClaim).get(name);
  const times = Number(metadata.labels?.['touched'] ?? 0) + 1;
  await world.change(PersistentVolumeClaim, name, { metadata: { labels: { touched: String(times) } } });
}

/** Deletes a claim at once, used or not. */
export async function removeClaim(world: ScenarioWorld, name: string): Promise<void> {
  const claims = world.of(PersistentVolumeClaim);
  await claims.patch(name, mergePatch({ metadata: { finalizers: null } }));
  await world.quiet();
  await claims.delete(name);
  await world.quiet();
}
