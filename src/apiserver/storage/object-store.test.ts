import { expect, test } from 'vitest';
import { builtInTypes } from '../../api/index.ts';
import { VirtualClock } from '../../base/index.ts';
import { openMemoryStore } from '../../store/index.ts';
import { ObjectStore } from './object-store.ts';
import { jsonStorage } from './storage-codec.ts';
import { StoredObject } from './stored-object.ts';

const type = builtInTypes().struct('io.k8s.api.core.v1.ConfigMap');
const READ = { group: '', version: 'v1', kind: 'ConfigMap', type, storage: { apiVersion: 'v1' } };
const OTHER = { ...READ, group: 'other', storage: { apiVersion: 'v1', convert: () => undefined } };

/** A store of so many config maps, the first of which has been read; answers with what was made of that one. */
async function filled(
  count: number,
  bytes: number,
  ttlSeconds?: number,
): Promise<{ first: StoredObject; json: Uint8Array }> {
  const objects = new ObjectStore(openMemoryStore({ clock: new VirtualClock() }), jsonStorage(type));
  let first: StoredObject | undefined;
  let json: Uint8Array = Buffer.alloc(0);
  for (let index = 0; index < count; index++) {
    const object = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', uid: 'u' },
      data: { a: 'x'.repeat(bytes) },
    };
    const stored = await objects.put(`/configmaps/${index}`, object, { expected: undefined, ttlSeconds });
    if (!(stored instanceof StoredObject)) throw new Error('it is there already');
    stored.keepAs(OTHER, object);
    json = first === undefined ? stored.json(READ) : json;
    first ??= stored;
  }
  if (first === undefined) throw new Error('there is none');
  return { first, json };
}

test('what is made of large objects is kept for a few of them', async () => {
  const { first, json } = await filled(150, 100_000);
  expect(first.json(READ)).not.toBe(json);
  expect(Buffer.compare(first.json(READ), json)).toBe(0);
});

test('likewise of objects that expire', async () => {
  const { first, json } = await filled(300, 100, 60);
  expect(first.json(READ)).not.toBe(json);
});

test('what they were converted to is kept: readers have waited for it', async () => {
  const { first } = await filled(150, 100_000);
  expect(first.isReadableAs(OTHER)).toBe(true);
});

test('what is made of small objects is kept for all of them', async () => {
  const { first, json } = await filled(1_000, 1_000);
  expect(first.json(READ)).toBe(json);
});
