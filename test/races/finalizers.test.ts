// Several clients add and remove finalizers of one object at the same time: none is lost (issue 12, F).
import { describe, expect, test } from 'vitest';
import { ConfigMap, mergePatch } from '../../src/client/index.ts';
import { garbageCollector } from '../../src/controllers/garbage-collector/garbage-collector.ts';
import { namespaceController } from '../../src/controllers/namespace/namespace-controller.ts';
import { controller, type Part } from '../../src/kit/index.ts';
import { to } from './interposed-transport.ts';
import { addFinalizer, Race, recreate } from './race.ts';

const OTHER = 'example.com/other';

function cleaner(name: string): Part {
  return controller(ConfigMap, {
    name,
    where: { labelSelector: 'clean' },
    finalizer: `example.com/${name}`,
    reconcile: () => undefined,
    finalize: () => undefined,
  });
}

const clean = { metadata: { name: 'm', labels: { clean: '' } } };

describe('a finalizer that another adds at the last moment stays', () => {
  test('when the kit adds its own', async () => {
    await using race = await Race.start(cleaner('one'));
    race.transport.before(to('PATCH', 'm'), () => addFinalizer(race.maps, 'm', OTHER));
    await race.maps.create(clean);
    await race.finish();
    expect((await race.maps.get('m')).metadata.finalizers).toEqual([OTHER, 'example.com/one']);
  });

  test('when the kit removes its own', async () => {
    await using race = await Race.start(cleaner('one'));
    await race.maps.create(clean);
    await race.settle();
    // adding one to an object that is being deleted is not allowed, so a third is removed instead
    await addFinalizer(race.maps, 'm', OTHER);
    await addFinalizer(race.maps, 'm', 'example.com/third');
    race.transport.before(to('PATCH', 'm'), () =>
      race.maps.patch('m', mergePatch({ metadata: { finalizers: ['example.com/one', OTHER] } })),
    );
    await race.maps.delete('m');
    await race.finish();
    expect((await race.maps.get('m')).metadata.finalizers).toEqual([OTHER]);
  });

  test.each(['Orphan', 'Foreground'] as const)('when the garbage collector ends a deletion: %s', async (policy) => {
    await using race = await Race.start(garbageCollector());
    const owner = await race.maps.create({ metadata: { name: 'm', finalizers: [OTHER, 'example.com/third'] } });
    await race.settle();
    race.transport.before(to('PATCH', 'm'), () =>
      race.maps
        .get('m')
        .then(({ metadata: { finalizers = [] } }) =>
          race.maps.patch(
            'm',
            mergePatch({ metadata: { finalizers: finalizers.filter((name) => name !== 'example.com/third') } }),
          ),
        ),
    );
    await race.maps.delete('m', { propagationPolicy: policy });
    await race.finish();
    const { metadata } = await race.maps.get('m');
    expect(metadata).toMatchObject({ uid: owner.metadata.uid, finalizers: [OTHER] });
  });

  test('when the namespace controller has emptied a namespace', async () => {
    await using race = await Race.start(namespaceController());
    const { namespaces } = race.client.core.v1;
    const finalize = namespaces.subresource<typeof space>('finalize');
    const space = await namespaces.create({ metadata: { name: 'space' } });
    race.transport.before(to('PUT', 'space', 'finalize'), async () => {
      const current = await namespaces.get('space');
      await finalize.update({ ...current, spec: { finalizers: ['kubernetes', OTHER] } });
    });
    await namespaces.delete('space');
    await race.finish();
    expect((await namespaces.get('space')).spec?.finalizers).toEqual([OTHER]);
  });
});

test('the garbage collector does not end a deletion that has become another one meanwhile', async () => {
  await using race = await Race.start(garbageCollector());
  const owner = await race.maps.create({ metadata: { name: 'm' } });
  const { kind, apiVersion, metadata } = owner;
  const reference = { kind, apiVersion, name: 'm', uid: metadata.uid, blockOwnerDeletion: true };
  race.transport.before(to('PATCH', 'm'), async () => {
    await race.maps.create({ metadata: { name: 'child', ownerReferences: [reference], finalizers: [OTHER] } });
    await race.maps.delete('m', { propagationPolicy: 'Foreground' });
  });

  await race.maps.delete('m', { propagationPolicy: 'Orphan' });
  await race.finish();

  const waiting = { uid: metadata.uid, finalizers: ['foregroundDeletion'] };
  expect((await race.maps.get('m')).metadata).toMatchObject(waiting); // the child holds it up
});

test('three who remove theirs at the same time let the object go, and remove nothing else', async () => {
  await using race = await Race.start(cleaner('one'), cleaner('two'), cleaner('three'));
  await race.maps.create(clean);
  await race.settle();
  expect((await race.maps.get('m')).metadata.finalizers?.toSorted()).toEqual([
    'example.com/one',
    'example.com/three',
    'example.com/two',
  ]);
  await addFinalizer(race.maps, 'm', OTHER);
  await race.maps.delete('m');
  await race.finish();
  expect((await race.maps.get('m')).metadata.finalizers).toEqual([OTHER]);

  await race.maps.patch('m', mergePatch({ metadata: { finalizers: null } }));
  expect((await race.maps.list()).items.map(({ metadata }) => metadata.name)).not.toContain('m');
});

test('the finalizer of a successor is not removed on behalf of the first', async () => {
  await using race = await Race.start(cleaner('one'));
  await race.maps.create(clean);
  await race.settle();
  let successor = '';
  race.transport.before(to('PATCH', 'm'), async () => {
    const finalizers = ['example.com/one'];
    const { metadata } = await recreate(race.maps, { metadata: { ...clean.metadata, finalizers } });
    successor = metadata.resourceVersion;
  });
  await race.maps.delete('m');
  await race.finish();
  const { finalizers, resourceVersion } = (await race.maps.get('m')).metadata;
  expect(finalizers).toEqual(['example.com/one']);
  expect(resourceVersion).toBe(successor); // it has not been written since
});
