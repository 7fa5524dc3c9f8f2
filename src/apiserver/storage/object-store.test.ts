import { expect, test } from 'vitest';
import { builtInTypes } from '../../api/index.ts';
import { VirtualClock } from '../../base/index.ts';
import { openMemoryStore, prefixRange } from '../../store/index.ts';
import { ObjectStore } from './object-store.ts';
import { jsonStorage } from './storage-codec.ts';
import { StoredObject } from './stored-object.ts';

const type = builtInTypes().struct('io.k8s.api.core.v1.ConfigMap');
const READ = { group: '', version: 'v1', kind: 'ConfigMap', type, storage: { apiVersion: 'v1' } };
const ALL = prefixRange('/configmaps/');
const OTHER = { ...READ, group: 'other', storage: { apiVersion: 'v1', convert: () => undefined } };

interface Filling {
  readonly count: number;
  readonly bytes: number;
  readonly ttlSeconds?: number;
}

/** Writes `count` config maps; returns the first. */
async function fill(objects: ObjectStore, { count, bytes, ttlSeconds }: Filling): Promise<StoredObject> {
  const { length } = (await objects.list(ALL, {})).objects;
  let first: StoredObject | undefined;
  for (let index = 0; index < count; index++) {
    const object = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', uid: 'u' },
      data: { a: 'x'.repeat(bytes) },
    };
    const stored = await objects.put(`/configmaps/${length + index}`, object, { expected: undefined, ttlSeconds });
    if (!(stored instanceof StoredObject)) throw new Error('it is there already');
    stored.keepAs(OTHER, object);
    first ??= stored;
  }
  if (first === undefined) throw new Error('there is none');
  return first;
}

/** A store of `count` config maps, the first of which has been read; returns that one's StoredObject. */
async function filled(filling: Filling): Promise<{ objects: ObjectStore; first: StoredObject; json: Uint8Array }> {
  const objects = new ObjectStore(openMemoryStore({ clock: new VirtualClock() }), jsonStorage(type));
  const first = await fill(objects, { ...filling, count: 1 });
  const json = first.json(READ);
  if (filling.count > 1) await fill(objects, { ...filling, count: filling.count - 1 });
  return { objects, first, json };
}

test('the forms of large objects are cached for a few of them', async () => {
  const { first, json } = await filled({ count: 200, bytes: 100_000 });
  expect(first.json(READ)).not.toBe(json);
  expect(Buffer.compare(first.json(READ), json)).toBe(0);
});

test('the forms of expiring objects are cached for a few of them', async () => {
  const { first, json } = await filled({ count: 600, bytes: 100, ttlSeconds: 60 });
  expect(first.json(READ)).not.toBe(json);
});

test('converted forms are kept: readers have waited for them', async () => {
  const { first } = await filled({ count: 150, bytes: 100_000 });
  expect(first.isReadableAs(OTHER)).toBe(true);
});

test('the forms of small written objects are cached for some hundreds', async () => {
  expect(await isKept({ count: 1_000, bytes: 1_000 })).toBe(true);
  expect(await isKept({ count: 1_100, bytes: 1_000 })).toBe(false);
  expect(await isKept({ count: 300, bytes: 20_000 })).toBe(false);
});

test('the forms of small objects for readers are cached for thousands', async () => {
  const { objects, first } = await filled({ count: 1_100, bytes: 1_000 });
  const json = first.json(READ);
  await fill(objects, { count: 1_100, bytes: 1_000 });
  const { objects: all } = await objects.list(ALL, {});
  for (const stored of all) stored.json(READ);

  expect(first.json(READ)).toBe(json);
});

test('the traits for selectors are kept for all small objects', async () => {
  const { objects, first } = await filled({ count: 1, bytes: 1_000 });
  const resource = { ...READ, selectableFields: ['data.a'], fieldValue: () => 'x' };
  const traits = first.traits(resource);
  await fill(objects, { count: 1_000, bytes: 1_000 });

  expect(first.traits(resource)).toBe(traits);
  expect(['data.a', 'metadata.name', 'other'].map((field) => traits.field(field))).toEqual(['x', 'a', '']);
  const [large, other] = [await filled({ count: 1, bytes: 100_000 }), { ...resource, fieldValue: () => 'y' }];
  expect(large.first.traits(resource)).not.toBe(large.first.traits(resource));
  expect(first.traits(other).field('data.a')).toBe('y');
});

test('an object that was evicted is found again while another component references it', async () => {
  const { objects, first } = await filled({ count: 1, bytes: 1_000 });
  const { object } = first;
  await fill(objects, { count: 1_100, bytes: 1_000 });

  expect(first.object).toBe(object);
});

async function isKept(filling: Filling): Promise<boolean> {
  const { first, json } = await filled(filling);
  return first.json(READ) === json;
}
