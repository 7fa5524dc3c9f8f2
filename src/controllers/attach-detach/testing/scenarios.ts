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
const unique = (handle: string): string => `kubernetes.io/csi/${DRIVER}^${handle}`;

type Mode = 'ReadWriteOnce' | 'ReadWriteMany' | 'ReadOnlyMany';

/** A node that is well, and leaves attaching to the control plane unless told otherwise. */
async function node(world: ScenarioWorld, name: string, annotations: Record<string, string> = MANAGED): Promise<void> {
  await world.create(Node, { metadata: { name, annotations } });
  await health(world, name, 'True');
}

async function health(world: ScenarioWorld, name: string, status: 'True' | 'False'): Promise<void> {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: world.now(), reason: 'Test', message: '' }];
  await world.changeStatus(Node, name, { conditions });
}

/** A claim and its volume, bound to each other. */
async function bound(world: ScenarioWorld, name: string, mode: Mode = 'ReadWriteOnce'): Promise<void> {
  const { metadata } = await world.create(PersistentVolumeClaim, {
    metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { accessModes: [mode], resources: { requests: { storage: '1Gi' } }, storageClassName: '', volumeName: name },
  });
  await world.create(PersistentVolume, {
    metadata: { name },
    spec: {
      accessModes: [mode],
      capacity: { storage: '1Gi' },
      csi: { driver: DRIVER, volumeHandle: `handle-${name}` },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: world.namespace, name, uid: metadata.uid },
    },
  });
  await world.changeStatus(PersistentVolume, name, { phase: 'Bound' });
  await world.changeStatus(PersistentVolumeClaim, name, { phase: 'Bound' });
}

async function pod(world: ScenarioWorld, name: string, nodeName: string, ...claims: string[]): Promise<void> {
  await world.create(Pod, {
    metadata: { name },
    spec: {
      nodeName,
      containers: [{ name: 'c', image: 'nginx' }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  });
}

/** Answers all that is asked for, as an attacher would. */
async function attach(world: ScenarioWorld, status: object = { attached: true }): Promise<void> {
  for (const { metadata } of (await world.of(VolumeAttachment).list()).items)
    await world.changeStatus(VolumeAttachment, metadata.name, { attached: false, ...status });
}

async function end(world: ScenarioWorld, name: string): Promise<void> {
  await world.pods.delete(name, { gracePeriodSeconds: 0 });
  await world.quiet();
}

async function use(world: ScenarioWorld, nodeName: string, ...handles: string[]): Promise<void> {
  await world.changeStatus(Node, nodeName, { volumesInUse: handles.length === 0 ? null : handles.map(unique) });
}

const attaching: Readonly<Record<string, Scenario>> = {
  'a volume is attached and detached': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await world.look('asked for');
    await attach(world);
    await world.look('attached');
    await end(world, 'web');
    await world.look('detached');
  },

  'two pods of a node, and two volumes': async (world) => {
    await node(world, 'n1');
    await bound(world, 'a');
    await bound(world, 'b');
    await pod(world, 'web', 'n1', 'a', 'b');
    await pod(world, 'other', 'n1', 'a');
    await attach(world);
    await world.look('attached');
    await end(world, 'web');
    await world.look('one is detached');
  },

  'an attacher that fails, and then does not': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await attach(world, { attachError: { time: world.now(), message: 'no such disk' } });
    await world.look('failed');
    await attach(world, { attached: true, attachError: null });
    await world.pass(4);
    await world.look('attached');
  },

  'a node that attaches volumes itself': async (world) => {
    await node(world, 'n1', {});
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await world.look('nothing');
  },

  'a driver whose volumes need not be attached': async (world) => {
    await world.create(CSIDriver, { metadata: { name: DRIVER }, spec: { attachRequired: false } });
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await world.look('nothing');
  },

  'a driver whose volumes have to be': async (world) => {
    await world.create(CSIDriver, { metadata: { name: DRIVER }, spec: { attachRequired: true } });
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await world.look('asked for');
  },

  'a pod without a node, and one that is over': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', '', 'data');
    await world.look('nothing');
    await pod(world, 'other', 'n1', 'data');
    await attach(world);
    await world.look('attached');
    await world.changeStatus(Pod, 'other', { phase: 'Succeeded' });
    await world.look('detached');
  },

  'a volume that is not of a driver': async (world) => {
    await node(world, 'n1');
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
      metadata: { name: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/srv/none' },
        claimRef: { namespace: world.namespace, name: 'data', uid: metadata.uid },
      },
    });
    await world.changeStatus(PersistentVolumeClaim, 'data', { phase: 'Bound' });
    await pod(world, 'web', 'n1', 'data');
    await world.look('nothing');
  },

  'a claim that is bound later': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await world.changeStatus(PersistentVolumeClaim, 'data', { phase: 'Pending' });
    await pod(world, 'web', 'n1', 'data');
    await world.look('nothing');
    await world.changeStatus(PersistentVolumeClaim, 'data', { phase: 'Bound' });
    await world.look('asked for');
  },
};

const conflicts: Readonly<Record<string, Scenario>> = {
  'a volume for one node that two want': async (world) => {
    await node(world, 'n1');
    await node(world, 'n2');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await attach(world);
    await pod(world, 'other', 'n2', 'data');
    await world.look('in use');
    await end(world, 'web');
    await world.look('moved');
    await attach(world);
    await world.look('attached');
  },

  'a volume that still is attached to where nobody wants it': async (world) => {
    await node(world, 'n1');
    await node(world, 'n2');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await attach(world);
    await use(world, 'n1', 'handle-data');
    await end(world, 'web');
    await pod(world, 'other', 'n2', 'data');
    await world.look('still mounted');
    await use(world, 'n1');
    await world.look('moved');
  },

  'a volume for many nodes': async (world) => {
    await node(world, 'n1');
    await node(world, 'n2');
    await bound(world, 'data', 'ReadWriteMany');
    await pod(world, 'web', 'n1', 'data');
    await pod(world, 'other', 'n2', 'data');
    await attach(world);
    await world.look('attached to both');
  },
};

const detaching: Readonly<Record<string, Scenario>> = {
  'a volume that its node has mounted': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await attach(world);
    await use(world, 'n1', 'handle-data');
    await end(world, 'web');
    await world.look('still there');
    await use(world, 'n1');
    await world.look('detached');
  },

  'a node that is out of service': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await attach(world);
    await use(world, 'n1', 'handle-data');
    await health(world, 'n1', 'False');
    await end(world, 'web');
    await world.look('still there');
    await world.change(Node, 'n1', {
      spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
    });
    await world.look('detached');
  },

  'a node that is deleted': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    await attach(world);
    await end(world, 'web');
    await world.look('detached');
    await world.of(Node).delete('n1');
    await world.look('gone');
  },

  'an attachment that does not go at once': async (world) => {
    await node(world, 'n1');
    await bound(world, 'data');
    await pod(world, 'web', 'n1', 'data');
    const [attachment] = (await world.of(VolumeAttachment).list()).items;
    const { name = '' } = attachment?.metadata ?? {};
    await world.change(VolumeAttachment, name, { metadata: { finalizers: ['external-attacher/csi-example-com'] } });
    await attach(world);
    await end(world, 'web');
    await world.look('going');
    await world.of(VolumeAttachment).patch(name, mergePatch({ metadata: { finalizers: null } }));
    await world.look('gone');
  },
};

/** Leaves nothing attached: the next scenario has nodes and volumes of the same names. */
function tidied(scenario: Scenario): Scenario {
  return async (world) => {
    await scenario(world);
    for (const { metadata } of (await world.of(Node).list()).items) await use(world, metadata.name);
    for (const { metadata } of (await world.pods.list()).items) await end(world, metadata.name);
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
  scenarios: Object.fromEntries(
    Object.entries({ ...attaching, ...conflicts, ...detaching }).map(([name, scenario]) => [name, tidied(scenario)]),
  ),
};
