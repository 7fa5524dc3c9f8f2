import { describe, expect, test } from 'vitest';
import type { CustomResourceDefinition } from '../api/types/apiextensions/v1.d.ts';
import type { AdmissionPlugin } from '../apiserver/index.ts';
import { type KubernetesObject, mergePatch, namespacedKind, type Observed } from '../client/index.ts';
import { startCluster } from '../testing/index.ts';

const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] };
const version = {
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
};

function widgets(changes: Partial<CustomResourceDefinition['spec']> = {}) {
  const spec = { group: 'example.dev', scope: 'Namespaced', names, versions: [version], ...changes };
  return { metadata: { name: `${spec.names.plural}.${spec.group}` }, spec };
}

const Widget = namespacedKind<KubernetesObject & { readonly spec?: unknown }>({
  apiVersion: 'example.dev/v1',
  kind: 'Widget',
  plural: 'widgets',
});

async function started() {
  const cluster = await startCluster({ nodes: 0 });
  const { client } = cluster;
  return {
    cluster,
    definitions: client.apiextensions.v1.customresourcedefinitions,
    objects: client.kind(Widget).namespace('default'),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

const summary = (definition: Pick<Observed<CustomResourceDefinition>, 'status'>) =>
  definition.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

describe('the life of a definition', () => {
  test('is reported step by step, and its kind is served when it is established', async () => {
    await using all = await started();
    const { resourceVersion } = await all.definitions.list();
    await all.definitions.create(widgets());
    await all.cluster.settle();
    const seen: unknown[] = [];
    for await (const event of all.definitions.watch({ resourceVersion, timeoutSeconds: 60 })) {
      if (event.type === 'BOOKMARK') continue;
      seen.push([event.type, summary(event.object)]);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([
      ['ADDED', undefined],
      ['MODIFIED', ['NamesAccepted=True NoConflicts', 'Established=False Installing']],
      ['MODIFIED', ['NamesAccepted=True NoConflicts', 'Established=True InitialNamesAccepted']],
    ]);
    const { status, metadata } = await all.definitions.get('widgets.example.dev');
    expect(status?.acceptedNames).toEqual(names);
    expect(metadata.managedFields?.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
      'kube-apiserver',
      'status',
    ]);
    expect((await all.objects.create({ metadata: { name: 'a' }, spec: { b: 1 } })).metadata.generation).toBe(1);
  });

  test('discovery lists its kind when it is established; the kind is served from the moment its names are accepted', async () => {
    let isHeld = true;
    const hold: AdmissionPlugin = {
      name: 'Hold',
      validate({ object, subresource }) {
        const { conditions } = (object as Pick<CustomResourceDefinition, 'status'> | undefined)?.status ?? {};
        const isEstablished = conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
        if (isHeld && subresource === 'status' && isEstablished === true) throw new Error('not yet');
      },
    };
    await using cluster = await startCluster({ nodes: 0, admission: { plugins: [hold] } });
    const { client, clock } = cluster;
    const described = async (): Promise<unknown> =>
      [
        await client.request({ method: 'GET', path: '/apis/example.dev/v1' }).catch(() => 'absent'),
        await client.request({ method: 'GET', path: '/openapi/v3/apis/example.dev/v1' }).catch(() => 'absent'),
      ].map((answer) => answer !== 'absent');
    await client.apiextensions.v1.customresourcedefinitions.create(widgets());
    await cluster.settle();
    expect(await client.kind(Widget).namespace('default').list()).toMatchObject({ items: [] });
    expect(await described()).toEqual([false, false]);

    isHeld = false;
    await clock.advance('1m');
    expect(await described()).toEqual([true, true]);
  });

  test('names that another definition has are not accepted, until that one is gone', async () => {
    await using all = await started();
    await all.definitions.create(widgets());
    await all.cluster.settle();
    const other = { plural: 'gadgets', singular: 'gadget', kind: 'Widget', listKind: 'GadgetList', shortNames: ['wd'] };
    await all.definitions.create(widgets({ names: other }));
    await all.cluster.settle();
    const refused = await all.definitions.get('gadgets.example.dev');
    expect(refused.status?.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'KindConflict', message: '"Widget" is already in use' },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ]);
    expect(refused.status?.acceptedNames).toEqual({
      plural: 'gadgets',
      singular: 'gadget',
      kind: '',
      listKind: 'GadgetList',
    });
    await expect(all.cluster.client.request({ method: 'GET', path: '/apis/example.dev/v1/gadgets' })).rejects.toThrow(
      'could not find the requested resource',
    );
    await all.definitions.delete('widgets.example.dev');
    await all.cluster.settle();
    expect(summary(await all.definitions.get('gadgets.example.dev'))).toEqual([
      'NamesAccepted=True NoConflicts',
      'Established=True InitialNamesAccepted',
    ]);
  });

  test('deleting it deletes its objects and ends watches of them; a new one begins with none', async () => {
    await using all = await started();
    await all.definitions.create(widgets());
    await all.cluster.settle();
    await all.objects.create({ metadata: { name: 'a' } });
    const { resourceVersion } = await all.objects.list();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { type } of all.objects.watch({ resourceVersion })) seen.push(type);
    })();
    await all.definitions.delete('widgets.example.dev');
    await all.cluster.settle();
    await watching;
    expect(seen).toEqual(['DELETED']);
    await expect(all.objects.list()).rejects.toThrow('404 page not found');
    await all.definitions.create(widgets());
    await all.cluster.settle();
    expect((await all.objects.list()).items).toEqual([]);
  });

  test('a finalizer that blocks deletion is reported, and no new objects are accepted', async () => {
    await using all = await started();
    await all.definitions.create(widgets());
    await all.cluster.settle();
    await all.objects.create({ metadata: { name: 'a', finalizers: ['example.dev/hold'] } });
    await all.definitions.delete('widgets.example.dev');
    await all.cluster.settle();
    expect(summary(await all.definitions.get('widgets.example.dev'))).toContain(
      'Terminating=True InstanceDeletionInProgress',
    );
    await expect(all.objects.create({ metadata: { name: 'b' } })).rejects.toThrow(
      'widgets.example.dev "b" is forbidden: create not allowed while custom resource definition is terminating',
    );
    await all.cluster.clock.advance('60s');
    await all.cluster.settle();
    const { status } = await all.definitions.get('widgets.example.dev');
    expect(status?.conditions?.at(-1)).toMatchObject({
      reason: 'InstanceDeletionCheck',
      message: 'could not confirm zero CustomResources remaining: context deadline exceeded',
    });
    await all.objects.patch('a', mergePatch({ metadata: { finalizers: null } }));
    await all.cluster.clock.advance('2s');
    await all.cluster.settle();
    await expect(all.definitions.get('widgets.example.dev')).rejects.toThrow('not found');
  });

  test('a fork serves what the original does', async () => {
    await using all = await started();
    await all.definitions.create(widgets());
    await all.cluster.settle();
    await all.objects.create({ metadata: { name: 'a' } });
    await using fork = await all.cluster.fork();
    const objects = fork.client.kind(Widget).namespace('default');
    expect((await objects.list()).items.map(({ metadata }) => metadata.name)).toEqual(['a']);
    await fork.client.apiextensions.v1.customresourcedefinitions.delete('widgets.example.dev');
    await fork.settle();
    await expect(objects.list()).rejects.toThrow('404 page not found');
    expect((await all.objects.list()).items).toHaveLength(1);
  });
});

describe('objects of a custom kind', () => {
  test('go with their namespace and with their owners, as those of built-in kinds do', async () => {
    await using all = await started();
    const { client } = all.cluster;
    await all.definitions.create(widgets());
    await all.cluster.settle();
    await client.core.v1.namespaces.create({ metadata: { name: 'shop' } });
    const inShop = client.kind(Widget).namespace('shop');
    await inShop.create({ metadata: { name: 'a' } });
    const owner = await all.objects.create({ metadata: { name: 'owner' } });
    const ownerReferences = [{ apiVersion: 'example.dev/v1', kind: 'Widget', name: 'owner', uid: owner.metadata.uid }];
    await all.objects.create({ metadata: { name: 'owned', ownerReferences } });
    await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'owned', ownerReferences } });
    await all.cluster.settle();

    await client.core.v1.namespaces.delete('shop');
    await all.objects.delete('owner');
    await all.cluster.settle();
    await all.cluster.clock.advance('1m');
    await all.cluster.settle();

    expect((await client.kind(Widget).list()).items).toEqual([]);
    await expect(client.core.v1.namespaces.get('shop')).rejects.toThrow('not found');
    await expect(client.core.v1.configmaps.namespace('default').get('owned')).rejects.toThrow('not found');
    expect(all.cluster.problems).toEqual([]);
  });

  test('get later defaults when they are read, also where fields sort before their version', async () => {
    await using all = await started();
    const schema = (a: object, b: object) => ({
      openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', ...a }, b: { type: 'string', ...b } } },
    });
    const define = (a: object, b: object) => widgets({ versions: [{ ...version, schema: schema(a, b) }] }).spec;
    await all.definitions.create(widgets(define({}, {})));
    await all.cluster.settle();
    const redefine = async (a: object, b: object) => {
      await all.definitions.patch('widgets.example.dev', mergePatch({ spec: define(a, b) }));
      await all.cluster.settle();
    };
    await redefine({ default: 'A' }, {});
    await all.objects.create({ metadata: { name: 'one' } });
    await redefine({}, { default: 'B' });
    expect(await all.objects.get('one')).toMatchObject({ a: 'A', b: 'B' });
  });
});
