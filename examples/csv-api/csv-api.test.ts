import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { citiesApp, City } from './csv-api.ts';

test('the rows of a file can be listed, selected and read, but not written', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  await cluster.run(citiesApp(join(import.meta.dirname, 'cities.csv')));
  await cluster.settle();
  const cities = cluster.client.kind(City);

  expect((await cities.list({ fieldSelector: 'spec.country=DE' })).items.map(({ metadata }) => metadata.name)).toEqual([
    'berlin',
    'hamburg',
  ]);
  expect((await cities.get('oslo')).spec).toEqual({ country: 'NO', population: 710_000 });
  await expect(cities.get('atlantis')).rejects.toMatchObject({ code: 404 });
  await expect(cities.delete('oslo')).rejects.toMatchObject({ code: 405 });
});
