import {
  CSIDriver,
  mergePatch,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from '../../../client/index.ts';
import { type Scenario, type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

const DRIVER = 'csi.example.com';
const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };

/** Where a scenario takes place. Nodes and volumes have names of their own in each: the real controller remembers them for a while. */
class Stage {
  readonly world: ScenarioWorld;
  readonly #id: number;

  constructor(world: ScenarioWorld, id: number) {
    this.world = world;
    this.#id = id;
  }

  own(name: string): string {
    return `${name}-${this.#id}`;
  }

  /** The volume of a claim as nodes name it. */
  unique(claim: string): string {
    return `kubernetes.io/csi/${DRIVER}^${this.handle(claim)}`;
  }

  handle(claim: string): string {
    return `handle-${this.own(claim)}`;
  }
}

type StagedScenario = (stage: Stage) => Promise<void>;
type Mode = 'ReadWriteOnce' | 'ReadWriteMany' | 'ReadOnlyMany';

/** A node that is well, and leaves attaching to the control plane unless told otherwise. */
async function node(stage: Stage, name: string, annotations: Record<string, string> = MANAGED): Promise<void> {
  await stage.world.create(Node, { metadata: { name: stage.own(name), annotations } });
  await health(stage, name, 'True');
}

async function health(stage: Stage, name: string, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: stage.world.now(), reason: 'Test', message: '' }];
  await stage.world.changeStatus(Node, stage.own(name), { conditions });
}

/** A claim and its volume, bound to each other. */
async function bound(stage: Stage, name: string, mode: Mode = 'ReadWriteOnce'): Promise<void> {
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

async function pod(stage: Stage, name: string, nodeName: string, ...claims: string[]): Promise<void> {
  await stage.world.create(Pod, {
    metadata: { name },
    spec: {
      ...(nodeName === '' ? {} : { nodeName: stage.own(nodeName) }),
      containers: [{ name: 'c', image: 'nginx' }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  });
}

/** Answers all that is asked for, as an attacher would. */
async function attach({ world }: Stage, status: object = { attached: true }): Promise<void> {
  for (const { metadata } of (await world.of(VolumeAttachment).list()).items)
    await world.changeStatus(VolumeAttachment, metadata.name, { attached: false, ...status });
}

async function end({ world }: Stage, name: string): Promise<void> {
  await world.pods.delete(name, { gracePeriodSeconds: 0 });
  await world.quiet();
}

async function use(stage: Stage, nodeName: string, ...claims: string[]): Promise<void> {
  const volumesInUse = claims.length === 0 ? null : claims.map((claim) => stage.unique(claim));
  await stage.world.changeStatus(Node, stage.own(nodeName), { volumesInUse });
}

const attaching: Readonly<Record<string, StagedScenario>> = {
  'a volume is attached and detached': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await world.look('asked for');
    await attach(stage);
    await world.look('attached');
    await end(stage, 'web');
    await world.look('detached');
  },

  'two pods of a node, and two volumes': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'a');
    await bound(stage, 'b');
    await pod(stage, 'web', 'n1', 'a', 'b');
    await pod(stage, 'other', 'n1', 'a');
    await attach(stage);
    await world.look('attached');
    await end(stage, 'web');
    await world.look('one is detached');
  },

  'an attacher that fails, and then does not': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await attach(stage, { attachError: { time: world.now(), message: 'no such disk' } });
    await world.look('failed');
    await attach(stage, { attached: true, attachError: null });
    await world.pass(4);
    await world.look('attached');
  },

  'a node that attaches volumes itself': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1', {});
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await world.look('nothing');
  },

  'a driver whose volumes need not be attached': async (stage) => {
    const { world } = stage;
    await world.create(CSIDriver, { metadata: { name: DRIVER }, spec: { attachRequired: false } });
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await world.look('nothing');
  },

  'a driver whose volumes have to be': async (stage) => {
    const { world } = stage;
    await world.create(CSIDriver, { metadata: { name: DRIVER }, spec: { attachRequired: true } });
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await world.look('asked for');
  },

  'a pod without a node, and one that is over': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', '', 'data');
    await world.look('nothing');
    await pod(stage, 'other', 'n1', 'data');
    await attach(stage);
    await world.look('attached');
    await world.changeStatus(Pod, 'other', { phase: 'Succeeded' });
    await world.look('detached');
  },

  'a volume that is not of a driver': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    const { metadata } = await world.create(PersistentVolumeClaim, {
      metadata: { name: 'data', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'v',
        storageClassName: '',
      },
    });
    await world.create(PersistentVolume, {
      metadata: { name: stage.own('v') },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/srv/none' },
        claimRef: { namespace: world.namespace, name: 'data', uid: metadata.uid },
      },
    });
    await world.changeStatus(PersistentVolumeClaim, 'data', { phase: 'Bound' });
    await pod(stage, 'web', 'n1', 'data');
    await world.look('nothing');
  },

  'a claim that is bound later': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await world.changeStatus(PersistentVolumeClaim, 'data', { phase: 'Pending' });
    await pod(stage, 'web', 'n1', 'data');
    await world.look('nothing');
    await world.changeStatus(PersistentVolumeClaim, 'data', { phase: 'Bound' });
    await world.look('asked for');
  },
};

const conflicts: Readonly<Record<string, StagedScenario>> = {
  'a volume for one node that two want': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await node(stage, 'n2');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await attach(stage);
    await pod(stage, 'other', 'n2', 'data');
    await world.look('in use');
    await end(stage, 'web');
    await world.look('moved');
    await attach(stage);
    await world.look('attached');
  },

  'a volume that still is attached to where nobody wants it': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await node(stage, 'n2');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await attach(stage);
    await use(stage, 'n1', 'data');
    await end(stage, 'web');
    await pod(stage, 'other', 'n2', 'data');
    await world.look('still mounted');
    await use(stage, 'n1');
    await world.look('moved');
  },

  'a volume for many nodes': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await node(stage, 'n2');
    await bound(stage, 'data', 'ReadWriteMany');
    await pod(stage, 'web', 'n1', 'data');
    await pod(stage, 'other', 'n2', 'data');
    await attach(stage);
    await world.look('attached to both');
  },
};

const detaching: Readonly<Record<string, StagedScenario>> = {
  'a volume that its node has mounted': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await attach(stage);
    await use(stage, 'n1', 'data');
    await end(stage, 'web');
    await world.look('still there');
    await use(stage, 'n1');
    await world.look('detached');
  },

  'a node that is out of service': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await attach(stage);
    await use(stage, 'n1', 'data');
    await health(stage, 'n1', 'False');
    await end(stage, 'web');
    await world.look('still there');
    await world.change(Node, stage.own('n1'), {
      spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
    });
    await world.look('detached');
  },

  'a node that is deleted': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    await attach(stage);
    await end(stage, 'web');
    await world.look('detached');
    await world.of(Node).delete(stage.own('n1'));
    await world.look('gone');
  },

  'an attachment that does not go at once': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await bound(stage, 'data');
    await pod(stage, 'web', 'n1', 'data');
    const [attachment] = (await world.of(VolumeAttachment).list()).items;
    const { name = '' } = attachment?.metadata ?? {};
    await world.change(VolumeAttachment, name, { metadata: { finalizers: ['external-attacher/csi-example-com'] } });
    await attach(stage);
    await end(stage, 'web');
    await world.look('going');
    await world.of(VolumeAttachment).patch(name, mergePatch({ metadata: { finalizers: null } }));
    await world.look('gone');
  },
};

/** Leaves nothing attached. */
function staged(scenario: StagedScenario, id: number): Scenario {
  return async (world) => {
    const stage = new Stage(world, id);
    await scenario(stage);
    for (const { metadata } of (await world.of(Node).list()).items)
      await world.changeStatus(Node, metadata.name, { volumesInUse: null });
    for (const { metadata } of (await world.pods.list()).items) await end(stage, metadata.name);
    for (const { metadata } of (await world.of(VolumeAttachment).list()).items)
      await world
        .of(VolumeAttachment)
        .delete(metadata.name)
        .catch(() => undefined); // it may have gone meanwhile
  };
}

/** What happens to volumes on nodes. */
export const topic: ScenarioTopic = {
  controllers: ['persistentvolume-attach-detach-controller'],
  seen: [
    see(Node, ({ spec }) => spec?.taints),
    see(PersistentVolume),
    see(PersistentVolumeClaim),
    see(Pod, ({ spec }) => spec?.nodeName),
    see(VolumeAttachment, ({ spec }) => spec),
  ],
  // The real controller lists volumes of a node in any order.
  masks: [[/\^handle-[ab]-1$/g, '^handle-?-1']],
  scenarios: Object.fromEntries(
    Object.entries({ ...attaching, ...conflicts, ...detaching }).map(([name, scenario], id) => [
      name,
      staged(scenario, id),
    ]),
  ),
};
