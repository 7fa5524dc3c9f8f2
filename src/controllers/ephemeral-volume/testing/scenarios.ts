import { mergePatch, PersistentVolumeClaim, Pod } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

async function createPod(world: ScenarioWorld, name: string, volumes: readonly string[]): Promise<void> {
  const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  const template = { metadata: { labels: { made: 'so' }, annotations: { for: name } }, spec };
  await world.create(Pod, {
    metadata: { name },
    spec: {
      containers: [{ name: 'c', image: 'nginx' }],
      volumes: volumes.map((volume) => ({ name: volume, ephemeral: { volumeClaimTemplate: template } })),
    },
  });
}

/** Scenarios about pods with generic ephemeral volumes. */
export const topic: ScenarioTopic = {
  controllers: ['ephemeral-volume-controller'],
  seen: [see(Pod), see(PersistentVolumeClaim, ({ spec }) => spec)],
  scenarios: {
    'two volumes of a pod': async (world) => {
      await createPod(world, 'web', ['data', 'more']);
      await world.look('made');
    },

    'a claim that goes is made again': async (world) => {
      await createPod(world, 'web', ['data']);
      const claims = world.of(PersistentVolumeClaim);
      await claims.patch('web-data', mergePatch({ metadata: { finalizers: null, labels: { made: null } } }));
      await claims.delete('web-data');
      await world.look('again');
    },

    "a claim that is somebody else's": async (world) => {
      const spec = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '5Gi' } } };
      await world.create(PersistentVolumeClaim, { metadata: { name: 'web-data' }, spec });
      await createPod(world, 'web', ['data']);
      await world.look('left alone');
    },

    'a claim that the server refuses': async (world) => {
      await createPod(world, 'a-name-with.dots', ['data']);
      await world.look('made');
    },

    'a pod without such volumes': async (world) => {
      await createPod(world, 'web', []);
      await world.look('nothing');
    },
  },
};
