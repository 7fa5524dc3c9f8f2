import { expect, test } from 'vitest';
import { matchLabels } from '../../api/client.ts';
import type { ReplicaSet as ReplicaSetObject } from '../../api/types/apps/v1.d.ts';
import { type Client, type Observed, Pod, ReplicaSet } from '../../client/index.ts';
import { controller } from '../../kit/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { claim } from './claim.ts';

const labels = { app: 'web' };

/** Lets an owner, optionally modified, claim all pods; returns the claimed ones or the error. */
async function claimAll(
  before: (client: Client) => Promise<unknown>,
  change: (owner: Observed<ReplicaSetObject>) => Observed<ReplicaSetObject> = (owner) => owner,
): Promise<{ claimed: string; owners: (string | undefined)[] }> {
  let claimed = '';
  const part = controller(ReplicaSet, {
    reads: [Pod],
    reconcile: async (object, context) => {
      const objects = context.objects(Pod);
      const owners = context.objects(ReplicaSet);
      const request = { ownerKind: ReplicaSet, owners, selector: matchLabels(labels), kind: Pod, objects };
      try {
        const pods = await claim(objects.list(), { ...request, owner: change(object) });
        claimed = pods.map(({ metadata }) => metadata.name).join();
      } catch (error) {
        claimed = (error as Error).message;
      }
    },
  });
  await using cluster = await startWith(part);
  const { client } = cluster;
  await before(client);
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  await client.apps.v1.replicasets.namespace('default').create({ metadata: { name: 'web' }, spec });
  await cluster.settle();
  const { items } = await client.core.v1.pods.namespace('default').list();
  return { claimed, owners: items.map(({ metadata }) => metadata.ownerReferences?.[0]?.name) };
}

function addPod(name: string, podLabels: Record<string, string>): (client: Client) => Promise<unknown> {
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  return (client) => client.core.v1.pods.namespace('default').create({ metadata: { name, labels: podLabels }, spec });
}

test('an orphan that matches is adopted', async () => {
  expect(await claimAll(addPod('orphan', labels))).toEqual({ claimed: 'orphan', owners: ['web'] });
});

test('an orphan that does not match is left alone', async () => {
  expect(await claimAll(addPod('orphan', { app: 'other' }))).toEqual({ claimed: '', owners: [undefined] });
});

test('an owner that was replaced by another with its name adopts nothing', async () => {
  const stale = (owner: Observed<ReplicaSetObject>): Observed<ReplicaSetObject> => ({
    ...owner,
    metadata: { ...owner.metadata, uid: 'before' },
  });
  const { claimed, owners } = await claimAll(addPod('orphan', labels), stale);
  expect(claimed).toMatch(
    /^can't adopt Pod default\/orphan \(.*\): can't recheck DeletionTimestamp: original ReplicaSet default\/web is gone: got uid .*, wanted before$/,
  );
  expect(owners).toEqual([undefined]);
});

test('an owner that is gone adopts nothing', async () => {
  const gone = (owner: Observed<ReplicaSetObject>): Observed<ReplicaSetObject> => ({
    ...owner,
    metadata: { ...owner.metadata, name: 'gone' },
  });
  const { claimed, owners } = await claimAll(addPod('orphan', labels), gone);
  expect(claimed).toContain('ReplicaSet default/gone not found');
  expect(owners).toEqual([undefined]);
});
