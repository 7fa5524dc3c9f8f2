import { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';

/** The CSI driver of the volumes. */
export const DRIVER = 'csi.example.com';
const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };

/**
 * The world of one scenario. Nodes and volumes have different names in each scenario because the real controller
 * remembers them for a while.
 */
export class Stage {
  readonly world: ScenarioWorld;
  readonly #id: number;

  constructor(world: ScenarioWorld, id: number) {
    this.world = world;
    this.#id = id;
  }

  own(name: string): string {
    return `${name}-${this.#id}`;
  }

  /** The unique name of a claim's volume in node statuses. */
  unique(claim: string): string {
    return `kubernetes.io/csi/${DRIVER}^${this.handle(claim)}`;
  }

  handle(claim: string): string {
    return `handle-${this.own(claim)}`;
  }
}

/** What happens on a stage. */
export type StagedScenario = (stage: Stage) => Promise<void>;
type Mode = 'ReadWriteOnce' | 'ReadWriteMany' | 'ReadOnlyMany';

/** A healthy node; by default it leaves attaching to the control plane. */
export async function node(stage: Stage, name: string, annotations: Record<string, string> = MANAGED): Promise<void> {
  await stage.world.create(Node, { metadata: { name: stage.own(name), annotations } });
  await health(stage, name, 'True');
}

export async function health(stage: Stage, name: string, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: stage.world.now(), reason: 'Test', message: '' }];
  await stage.world.changeStatus(Node, stage.own(name), { conditions });
}

/** A claim bound to its volume. */
export async function bound(stage: Stage, name: string, mode: Mode = 'ReadWriteOnce'): Promise<void> {
  const { world } = stage;
  const volumeName = stage.own(name);
  const { metadata } = await world.create(PersistentVolumeClaim, {
    metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { accessModes: [mode], resources: { requests: { storage: '1Gi' } }, storageClassName: '', volumeName },
  });
  await world.create(PersistentVolume, {
    metadata: { name: volumeName },
    spec: {
      accessModes: [mode],
      capacity: { storage: '1Gi' },
      csi: { driver: DRIVER, volumeHandle: stage.handle(name) },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: world.namespace, name, uid: metadata.uid },
    },
  });
  await world.changeStatus(PersistentVolume, volumeName, { phase: 'Bound' });
  await world.changeStatus(PersistentVolumeClaim, name, { phase: 'Bound' });
}

export async function pod(stage: Stage, name: string, nodeName: string, ...claims: string[]): Promise<void> {
  await stage.world.create(Pod, {
    metadata: { name },
    spec: {
      ...(nodeName === '' ? {} : { nodeName: stage.own(nodeName) }),
      containers: [{ name: 'c', image: 'nginx' }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  });
}

/** Answers all VolumeAttachments, as an external attacher would. */
export async function attach({ world }: Stage, status: object = { attached: true }): Promise<void> {
  for (const { metadata } of (await world.of(VolumeAttachment).list()).items)
    await world.changeStatus(VolumeAttachment, metadata.name, { attached: false, ...status });
}

export async function end({ world }: Stage, name: string): Promise<void> {
  await world.pods.delete(name, { gracePeriodSeconds: 0 });
  await world.quiet();
}

export async function use(stage: Stage, nodeName: string, ...claims: string[]): Promise<void> {
  const volumesInUse = claims.length === 0 ? null : claims.map((claim) => stage.unique(claim));
  await stage.world.changeStatus(Node, stage.own(nodeName), { volumesInUse });
}
