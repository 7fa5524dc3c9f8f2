import { PersistentVolume, type Pod, type Stored } from '../../../client/index.ts';
import { mergePatch } from '../../../client/index.ts';
import type { Scenario, ScenarioWorld } from '../../testing/scenarios/index.ts';
import { claim, claimSpec, podUsing, removeClaim, volume } from './samples.ts';

/** The recycler pod of a volume. */
function scrubber({ client }: ScenarioWorld, name: string): Promise<Stored<Pod>> {
  return client.core.v1.pods.namespace('default').get(`recycler-for-${name}`);
}

async function end(world: ScenarioWorld, name: string, status: object): Promise<void> {
  const pods = world.client.core.v1.pods.namespace('default');
  await pods.status.patch(`recycler-for-${name}`, mergePatch({ status }));
  await world.quiet();
}

/** A released volume. */
async function released(world: ScenarioWorld, name: string, nfs = false): Promise<void> {
  const source = nfs ? ({ hostPath: null, nfs: { server: 'files.example.com', path: '/' } } as const) : {};
  await volume(world, name, { persistentVolumeReclaimPolicy: 'Recycle', ...source });
  await claim(world, 'data', { ...claimSpec(), volumeName: name });
  await removeClaim(world, 'data');
  await world.quiet();
}

/** Scenarios about recycled volumes. */
export const recycling: Readonly<Record<string, Scenario>> = {
  'a volume is scrubbed by a pod, and free again': async (world) => {
    await released(world, 'scrubbed');
    const { spec } = await scrubber(world, 'scrubbed');
    const { containers, volumes, activeDeadlineSeconds, restartPolicy } = spec ?? {};
    world.note('pod', { containers, volumes, activeDeadlineSeconds, restartPolicy });
    await end(world, 'scrubbed', { phase: 'Running' });
    await world.look('at it');
    await end(world, 'scrubbed', { phase: 'Succeeded' });
    await world.look('free');
  },

  'a share is given longer': async (world) => {
    await released(world, 'share', true);
    const { spec } = await scrubber(world, 'share');
    world.note('pod', { volumes: spec?.volumes, seconds: spec?.activeDeadlineSeconds });
    await end(world, 'share', { phase: 'Failed', message: 'no such server' });
    await world.look('failed');
  },

  'a pod that fails without a word': async (world) => {
    await released(world, 'silent');
    await end(world, 'silent', { phase: 'Failed' });
    await world.look('failed');
  },

  'a pod that somebody deletes': async (world) => {
    await released(world, 'gone');
    await world.client.core.v1.pods.namespace('default').delete('recycler-for-gone', { gracePeriodSeconds: 0 });
    await world.look('failed');
  },

  'a volume that a pod still uses': async (world) => {
    await volume(world, 'used', { persistentVolumeReclaimPolicy: 'Recycle' });
    await claim(world, 'data', { ...claimSpec(), volumeName: 'used' });
    await podUsing(world, 'web', 'data');
    await removeClaim(world, 'data');
    await world.look('left alone');
    await world.change(PersistentVolume, 'used', { metadata: { labels: { touched: 'yes' } } });
    await world.look('still');
  },
};
