import { CustomResourceDefinition } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { Zone } from './zone.ts';

test('zones are kept and checked, and go with their definition', async () => {
  await using cluster = await startCluster({ resources: [Zone] });
  const zones = cluster.client.kind(Zone);
  await zones.create({ metadata: { name: 'zone1' }, spec: { city: 'beijing' } });
  await zones.create({ metadata: { name: 'nowhere' }, spec: { city: null } });
  const wrong = { metadata: { name: 'wrong' }, spec: { city: 5 as unknown as string } };
  await expect(zones.create(wrong)).rejects.toMatchObject({
    code: 422,
    message:
      'Zone.test.com "wrong" is invalid: spec.city: Invalid value: "integer": spec.city in body must be of type string: "integer"',
  });
  expect((await zones.list()).items.map(({ metadata, spec }) => [metadata.name, spec.city])).toEqual([
    ['nowhere', null],
    ['zone1', 'beijing'],
  ]);

  await cluster.client.kind(CustomResourceDefinition).delete('zones.test.com');
  await cluster.settle();

  await expect(zones.list()).rejects.toMatchObject({ code: 404 });
  await cluster.install(Zone);
  expect((await zones.list()).items).toEqual([]);
});
