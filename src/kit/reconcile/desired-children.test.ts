import { describe, expect, test } from 'vitest';
import { ClusterRole, ConfigMap, Deployment, Namespace, Secret, type Observed, Service } from '../../client/index.ts';
import { controller, type ReconcileContext } from '../index.ts';
import { runApp, type RunningApp } from '../testing/running-app.ts';

type Reconcile = (map: Observed<ConfigMap>, context: ReconcileContext) => Promise<void>;

function owner(reconcile: Reconcile): ReturnType<typeof controller> {
  return controller(ConfigMap, {
    name: 'owner',
    where: { labelSelector: { role: 'owner' } },
    owns: [Secret, Deployment, Service],
    reconcile,
  });
}

const ownerMap = { metadata: { name: 'o', labels: { role: 'owner' } }, data: { size: '1' } };

function maps({ client }: RunningApp): ReturnType<RunningApp['client']['core']['v1']['configmaps']['namespace']> {
  return client.core.v1.configmaps.namespace('default');
}

async function secretNames({ client }: RunningApp): Promise<string[]> {
  const { items } = await client.core.v1.secrets.namespace('default').list();
  return items.map(({ metadata }) => metadata.name);
}

describe('children that a reconciler declares', () => {
  test('are applied with the object as their controller, and only once', async () => {
    const made: string[] = [];
    const part = owner(async (map, { desire }) => {
      const secret = await desire(Secret, { metadata: { name: `${map.metadata.name}-s` }, stringData: { a: 'b' } });
      made.push(secret.metadata.resourceVersion);
    });
    await using running = await runApp([part]);
    const map = await maps(running).create(ownerMap);
    await running.settle();

    const secret = await running.client.core.v1.secrets.namespace('default').get('o-s');
    expect(secret.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'o',
        uid: map.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(secret.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ['owner', 'Apply'],
    ]);
    expect(running.app.trace().map(({ why, writes }) => [why, writes])).toEqual([[['ConfigMap default/o added'], 1]]);

    await maps(running).update({ ...ownerMap, data: { size: '1', other: 'x' } });
    await running.settle();

    expect(running.app.trace().at(-1)).toMatchObject({ outcome: 'done', writes: 0 });
    expect(new Set(made)).toEqual(new Set([secret.metadata.resourceVersion]));
  });

  test('are written again when the declaration changes or others change it, not when others change other fields', async () => {
    const part = owner(async (map, { desire }) => {
      const labels = { app: 'web' };
      await desire(Deployment, {
        metadata: { name: 'web' },
        spec: {
          replicas: Number(map.data?.['size']),
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1000m' } } }] },
          },
        },
      });
    });
    await using running = await runApp([part]);
    const deployments = running.client.apps.v1.deployments.namespace('default');
    await maps(running).create(ownerMap);
    await running.settle();
    expect((await deployments.get('web')).spec).toMatchObject({ replicas: 1, revisionHistoryLimit: 10 });

    await maps(running).update({ ...ownerMap, data: { size: '2' } });
    await running.settle();
    expect((await deployments.get('web')).spec?.replicas).toBe(2);
    expect(running.app.trace().at(-1)).toMatchObject({ writes: 1 });

    const drifted = await deployments.get('web');
    await deployments.update({ ...drifted, spec: { ...drifted.spec!, replicas: 7 } });
    await running.settle();
    expect((await deployments.get('web')).spec?.replicas).toBe(2);
    expect(running.app.trace().at(-1)).toMatchObject({ why: ['Deployment default/web changed'], writes: 1 });

    const current = await deployments.get('web');
    await deployments.update({ ...current, spec: { ...current.spec!, paused: true } });
    await running.settle();
    expect((await deployments.get('web')).spec).toMatchObject({ paused: true, replicas: 2 });
    expect(running.app.trace().at(-1)).toMatchObject({ why: ['Deployment default/web changed'], writes: 0 });
  });

  test('lose the fields that are no longer stated', async () => {
    const part = owner(async (map, { desire }) => {
      await desire(Secret, { metadata: { name: 's', labels: map.data?.['size'] === '1' ? { one: 'yes' } : {} } });
    });
    await using running = await runApp([part]);
    await maps(running).create(ownerMap);
    await running.settle();
    await maps(running).update({ ...ownerMap, data: { size: '2' } });
    await running.settle();

    expect((await running.client.core.v1.secrets.namespace('default').get('s')).metadata.labels).toBeUndefined();
  });

  test('are deleted when the complete list does not contain them', async () => {
    const part = owner(async (map, { desireAll }) => {
      const names = Array.from({ length: Number(map.data?.['size']) }, (_, index) => `s${index}`);
      const made = await desireAll(
        Secret,
        names.map((name) => ({ metadata: { name } })),
      );
      expect(made.map(({ metadata }) => metadata.name)).toEqual(names);
    });
    await using running = await runApp([part]);
    for (const [size, left] of [
      ['3', ['s0', 's1', 's2']],
      ['1', ['s0']],
      ['0', []],
    ] as const) {
      await maps(running).apply({ ...ownerMap, data: { size } }, { fieldManager: 'admin', force: true });
      await running.settle();
      expect(await secretNames(running)).toEqual(left);
    }
    expect(running.app.trace().every(({ outcome }) => outcome === 'done')).toBe(true);
  });

  // Only a complete list deletes children: a run that ends early deletes nothing.
  test.each<[string, Reconcile]>([
    ['returns early', async () => undefined],
    ['throws', () => Promise.reject(new Error('as asked'))],
    [
      'takes another branch',
      async (map, { desire }) => {
        if (map.data?.['size'] === '3') await desire(Secret, { metadata: { name: 's2' } });
        else await desire(Secret, { metadata: { name: 's0' } });
      },
    ],
    ['states them one by one', async (_map, { desire }) => void (await desire(Secret, { metadata: { name: 's1' } }))],
    [
      'fails in the middle of the list',
      async (_map, { desireAll }) => void (await desireAll(Secret, [{ metadata: { name: 's0' } }, { metadata: {} }])),
    ],
    ['states all of another kind', async (_map, { desireAll }) => void (await desireAll(Service, []))],
  ])('stay when a run %s', async (_, second) => {
    const part = owner(async (map, context) => {
      if (map.data?.['size'] !== '3') return second(map, context);
      const secrets = ['s0', 's1', 's2'].map((name) => ({ metadata: { name } }));
      return void (await context.desireAll(Secret, secrets));
    });
    await using running = await runApp([part]);
    await maps(running).create({ ...ownerMap, data: { size: '3' } });
    await running.settle();
    expect(await secretNames(running)).toEqual(['s0', 's1', 's2']);

    await maps(running).update({ ...ownerMap, data: { size: '1' } });
    await running.settle();

    expect(running.app.trace().length).toBeGreaterThan(1);
    expect(await secretNames(running)).toEqual(['s0', 's1', 's2']);
  });

  test('are created again when they are deleted', async () => {
    const part = owner(async (_map, { desire }) => void (await desire(Secret, { metadata: { name: 's' } })));
    await using running = await runApp([part]);
    const secrets = running.client.core.v1.secrets.namespace('default');
    await maps(running).create(ownerMap);
    await running.settle();
    const { metadata } = await secrets.get('s');
    await secrets.delete('s');
    await running.settle();

    expect((await secrets.get('s')).metadata.uid).not.toBe(metadata.uid);
  });

  test.each<[string, (context: ReconcileContext) => Promise<unknown>]>([
    [
      'it is in namespace "other", and owners must be in the same namespace',
      ({ desire }) => desire(Secret, { metadata: { name: 's', namespace: 'other' } }),
    ],
    [
      'the controller does not declare the kind in owns',
      ({ desire }) => desire(ClusterRole, { metadata: { name: 'r' } }),
    ],
    ['the controller does not declare the kind in owns', ({ desireAll }) => desireAll(ConfigMap, [])],
    ['it has no name', ({ desire }) => desire(Secret, { metadata: {} })],
    ['it is controlled by ConfigMap "another"', ({ desire }) => desire(Secret, { metadata: { name: 'taken' } })],
  ])('are refused when %s', async (message, reconcile) => {
    const part = owner(async (_map, context) => void (await reconcile(context)));
    await using running = await runApp([part], async (client) => {
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'another', uid: '1', controller: true };
      await client.core.v1.secrets
        .namespace('default')
        .create({ metadata: { name: 'taken', ownerReferences: [reference] } });
    });
    await maps(running).create(ownerMap);
    await running.settle();

    expect(String(running.app.trace().at(-1)?.error)).toContain(message);
  });

  test('may be in any namespace if the owner is cluster-scoped', async () => {
    const part = controller(Namespace, {
      where: { labelSelector: 'team' },
      owns: [ConfigMap],
      reconcile: async ({ metadata: { name: namespace } }, { desire }) =>
        void (await desire(ConfigMap, { metadata: { name: 'team', namespace }, data: { namespace } })),
    });
    await using running = await runApp([part]);
    await running.client.core.v1.namespaces.create({ metadata: { name: 'blue', labels: { team: 'blue' } } });
    await running.settle();

    expect((await running.client.core.v1.configmaps.namespace('blue').get('team')).data).toEqual({ namespace: 'blue' });
  });
});
