import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { TestServer } from '../apply/test-server.ts';
import { readVectors } from '../apply/vector.ts';
import { compare, type Difference, MEDIA_TYPES, placeOf } from './compare.ts';
import type { PatchedObject } from './patch-vector.ts';

const vectors = readVectors<PatchedObject>(new URL('patch.jsonl.gz', import.meta.url));

/** Patches that we refuse as Kubernetes does, in other words: what we say, under the reason. */
const listed = (
  JSON.parse(readFileSync(new URL('other-messages.json', import.meta.url), 'utf8')) as {
    readonly patches: readonly { resource: string; type: string; body: unknown; ours: unknown }[];
  }[]
).flatMap(({ patches }) => patches);

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
  const found = differences.map(({ resource, type, body, got }) => ({ resource, type, body, ours: got }));
  const isListed = (one: unknown): boolean => listed.some((other) => isDeepStrictEqual(one, other));
  expect(differences.filter((_, index) => !isListed(found[index])).slice(0, 3)).toEqual([]);
  expect(found).toHaveLength(listed.length); // what is listed without need is to be taken out
  expect(vectors.flatMap(({ patches }) => patches).length).toBeGreaterThan(1400);
});
