import { CSIDriver, PersistentVolume, PersistentVolumeClaim, Pod } from '../../../client/index.ts';
import { attach, bound, DRIVER, end, node, pod, type StagedScenario } from './stage.ts';

/** From a pod that needs a volume to an attached volume. */
export const attaching: Readonly<Record<string, StagedScenario>> = {
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
