import type { StatefulSetPersistentVolumeClaimRetentionPolicy as Policy } from '../../../api/types/apps/v1.d.ts';
import { ConfigMap, PersistentVolumeClaim, Pod, StatefulSet } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { claimTemplate, makeAllReady, onNode, scale, statefulSet, template } from './samples.ts';

const withClaim = { replicas: 2, volumeClaimTemplates: [claimTemplate()] };

function retention(whenScaled: string, whenDeleted: string): { persistentVolumeClaimRetentionPolicy: Policy } {
  return { persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } as Policy };
}

/** The claims of pods. */
export const claimScenarios: ScenarioTopic['scenarios'] = {
  'claims of pods': async (world) => {
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ];
    await world.create(StatefulSet, statefulSet({ ...withClaim, template: template({ volumes }) }));
    await world.look('created');
    await world.makeReady();
    await world.look('one ready');
    await scale(world, 0);
    await world.look('scaled down');
    await scale(world, 1);
    await world.look('scaled up');
  },

  'claims that go with the set': async (world) => {
    await world.create(StatefulSet, statefulSet({ ...withClaim, ...onNode, ...retention('Retain', 'Delete') }));
    await makeAllReady(world, 2);
    await world.look('created');
    await scale(world, 1);
    await world.look('scaled down');
  },

  'claims that go with their pods': async (world) => {
    await world.create(StatefulSet, statefulSet({ ...withClaim, ...onNode, ...retention('Delete', 'Retain') }));
    await makeAllReady(world, 2);
    await world.look('created');
    await scale(world, 1);
    await world.look('scaled down');
    await world.removeTerminating();
    await scale(world, 2);
    await world.look('waiting for the claim to go');
  },

  'claims that go with both': async (world) => {
    await world.create(StatefulSet, statefulSet({ ...withClaim, ...onNode, ...retention('Delete', 'Delete') }));
    await makeAllReady(world, 2);
    await world.look('created');
    await scale(world, 1);
    await world.look('scaled down');
  },

  'another policy for claims': async (world) => {
    await world.create(StatefulSet, statefulSet(withClaim));
    await makeAllReady(world, 2);
    await world.change(StatefulSet, 'web', { spec: retention('Retain', 'Delete') });
    await world.look('they go');
    await world.change(StatefulSet, 'web', { spec: retention('Retain', 'Retain') });
    await world.look('they stay');
  },

  'a claim that another controls': async (world) => {
    const owner = await world.create(ConfigMap, { metadata: { name: 'owner' } });
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid, controller: true };
    const { spec } = claimTemplate();
    await world.create(PersistentVolumeClaim, {
      metadata: { name: 'data-web-0', ownerReferences: [reference] },
      ...(spec === undefined ? {} : { spec }),
    });
    await world.create(StatefulSet, statefulSet({ ...withClaim, ...retention('Delete', 'Delete') }));
    await makeAllReady(world, 2);
    await world.look('created');
  },

  'a claim that is lost while its pod waits': async (world) => {
    await world.create(StatefulSet, statefulSet({ ...withClaim, replicas: 1 }));
    await world.of(PersistentVolumeClaim).delete('data-web-0');
    await world.change(PersistentVolumeClaim, 'data-web-0', { metadata: { finalizers: null } });
    await world.changeStatus(Pod, 'web-0', { message: 'still waiting' });
    await world.look('made anew');
  },

  'a claim that is being deleted': async (world) => {
    const { spec } = claimTemplate();
    await world.create(PersistentVolumeClaim, {
      metadata: { name: 'data-web-0', finalizers: ['example.com/kept'] },
      ...(spec === undefined ? {} : { spec }),
    });
    await world.of(PersistentVolumeClaim).delete('data-web-0');
    await world.create(StatefulSet, statefulSet({ ...withClaim, replicas: 1 }));
    await world.look('waiting');
  },
};
