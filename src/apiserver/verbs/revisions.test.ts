import { expect, test } from 'vitest';
import { KindServer } from '../testing/kind-server.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, resourceVersion?: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, resourceVersion } });
}

const headers = { 'content-type': 'application/json' };

test('an object with a resourceVersion is rejected, except in a dry run, which stores nothing', async () => {
  const server = new KindServer();
  const refused = await server.send('POST', COLLECTION, { headers, body: configMap('a', '7') });
  const tried = await server.send('POST', `${COLLECTION}?dryRun=All`, { headers, body: configMap('a', '7') });

  expect([refused.code, refused.json().message]).toEqual([
    500,
    'resourceVersion should not be set on objects to be created',
  ]);
  expect([tried.code, tried.json().metadata.resourceVersion]).toEqual([201, '7']);
});

test('the error for a watch from a compacted version names the oldest available one', async () => {
  const server = new KindServer();
  const versions: number[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    const { code, json } = await server.send('POST', COLLECTION, { headers, body: configMap(name) });
    expect(code).toBe(201);
    versions.push(Number(json().metadata.resourceVersion));
  }
  const [first = 0, , third = 0] = versions;
  await server.objects.store.compact(third);
  const { body } = await server.get(`${COLLECTION}?watch=1&resourceVersion=${first}`);

  expect(JSON.parse(body.toString())).toMatchObject({
    type: 'ERROR',
    object: { code: 410, reason: 'Expired', message: `too old resource version: ${first} (${third - 1})` },
  });
});
