import { CSINode, PersistentVolume, PersistentVolumeClaim, Pod } from '../../../client/index.ts';
import { attach, end, node, pod, type Stage, type StagedScenario } from './stage.ts';

/** Disks of former in-tree plugins, which CSI drivers attach. */
export const disks: Readonly<Record<string, StagedScenario>> = {
  'a disk that a pod describes itself': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await world.create(CSINode, { metadata: { name: stage.own('n1'), annotations: EBS }, spec: { drivers: [] } });
    await disk(stage, 'web', 'n1');
    await world.look('asked for');
    await attach(stage);
    await world.look('attached');
    await end(stage, 'web');
    await world.look('detached');
  },

  'a disk that pods of two nodes describe': async (stage) => {
    const { world } = stage;
    for (const name of ['n1', 'n2']) {
      await node(stage, name);
      await world.create(CSINode, { metadata: { name: stage.own(name), annotations: EBS }, spec: { drivers: [] } });
    }
    await disk(stage, 'web', 'n1');
    await attach(stage);
    await world.look('attached');
    await disk(stage, 'other', 'n2');
    await world.look('refused');
  },

  'a disk on a node without its driver': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await world.create(CSINode, { metadata: { name: stage.own('n1') }, spec: { drivers: [] } });
    await disk(stage, 'web', 'n1');
    await world.look('nothing');
  },

  'a claim of a disk of a former in-tree plugin': async (stage) => {
    const { world } = stage;
    await node(stage, 'n1');
    await world.create(CSINode, { metadata: { name: stage.own('n1'), annotations: EBS }, spec: { drivers: [] } });
    const { metadata } = await world.create(PersistentVolumeClaim, {
      metadata: { name: 'data', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: stage.own('ebs'),
        storageClassName: '',
      },
    });
    await world.create(PersistentVolume, {
      metadata: { name: stage.own('ebs') },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        awsElasticBlockStore: { volumeID: `vol-${stage.own('1')}`, fsType: 'ext4' },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: world.namespace, name: 'data', uid: metadata.uid },
      },
    });
    await world.changeStatus(PersistentVolume, stage.own('ebs'), { phase: 'Bound' });
    await world.changeStatus(PersistentVolumeClaim, 'data', { phase: 'Bound' });
    await pod(stage, 'web', 'n1', 'data');
    await world.look('asked for');
    await attach(stage);
    await world.look('attached');
  },
};

/** What the CSINode of a node says whose agent leaves these disks to the CSI driver. */
const EBS = { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs,kubernetes.io/gce-pd' };

/** A pod with a disk of its own. */
async function disk(stage: Stage, name: string, nodeName: string): Promise<void> {
  const volumeID = `aws://us-east-1a/vol-${stage.own('0')}`;
  await stage.world.create(Pod, {
    metadata: { name },
    spec: {
      nodeName: stage.own(nodeName),
      containers: [{ name: 'c', image: 'nginx' }],
      volumes: [{ name: 'disk', awsElasticBlockStore: { volumeID, fsType: 'ext4', partition: 1 } }],
    },
  });
}
