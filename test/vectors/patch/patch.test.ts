import { expect, test } from 'vitest';
import { TestServer } from '../apply/test-server.ts';
import { readVectors } from '../apply/vector.ts';
import { compare, type Difference, MEDIA_TYPES, placeOf } from './compare.ts';
import type { PatchedObject } from './patch-vector.ts';

const vectors = readVectors<PatchedObject>(new URL('patch.jsonl.gz', import.meta.url));

test('strategic merge, JSON and merge patches do what they do on a real kube-apiserver: same objects, codes, messages, warnings', async () => {
  await using server = new TestServer();
  const differences: (Difference & { resource: string; type: string })[] = [];
  for (const { resource, object, patches } of vectors) {
    const { path, collection } = placeOf(resource);
    const created = await server.send('POST', collection, { body: object });
    expect(created.code, JSON.stringify(created.body)).toBe(201);
    for (const vector of patches) {
      const outcome = await compare(server, path, [object, vector]);
      if (outcome !== undefined) differences.push({ resource, type: vector.type, ...outcome });
    }
    await server.send('PATCH', path, { body: { metadata: { finalizers: null } }, type: MEDIA_TYPES.merge });
    await server.send('DELETE', path, { body: { gracePeriodSeconds: 0 } });
  }
  expect(differences.slice(0, 3)).toEqual([]);
  expect(vectors.flatMap(({ patches }) => patches).length).toBeGreaterThan(1400);
});
