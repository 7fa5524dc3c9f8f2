import {
  CSINode,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from '../../../client/index.ts';
import { type Scenario, type ScenarioTopic, see } from '../../testing/scenarios/index.ts';
import { attaching } from './attaching.ts';
import { conflicts, detaching } from './detaching.ts';
import { disks } from './disks.ts';
import { end, Stage, type StagedScenario } from './stage.ts';

/** Detaches everything at the end. */
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
        .catch(() => undefined); // it may be gone already
  };
}

/** Scenarios about volumes on nodes. */
export const topic: ScenarioTopic = {
  controllers: ['persistentvolume-attach-detach-controller'],
  seen: [
    see(CSINode, ({ metadata }) => metadata.annotations),
    see(Node, ({ spec }) => spec?.taints),
    see(PersistentVolume),
    see(PersistentVolumeClaim),
    see(Pod, ({ spec }) => spec?.nodeName),
    see(VolumeAttachment, ({ spec }) => spec),
  ],
  // The real controller lists a node's volumes in any order.
  masks: [[/\^handle-[ab]-1$/g, '^handle-?-1']],
  scenarios: Object.fromEntries(
    Object.entries({ ...attaching, ...conflicts, ...detaching, ...disks }).map(([name, scenario], id) => [
      name,
      staged(scenario, id),
    ]),
  ),
};
