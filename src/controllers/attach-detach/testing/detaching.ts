import { mergePatch, Node, VolumeAttachment } from '../../../client/index.ts';
import { attach, bound, end, health, node, pod, type StagedScenario, use } from './stage.ts';

/** Volumes needed on several nodes. */
export const conflicts: Readonly<Record<string, StagedScenario>> = {
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

/** From an unused volume to a detached one. */
export const detaching: Readonly<Record<string, StagedScenario>> = {
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
