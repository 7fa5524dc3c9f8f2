import { APIService } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { Fischer, Flunder, wardleApp } from './wardle.ts';

test('flunders and fischers are served behind the API server, to authorized users', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  await cluster.run(wardleApp());
  await cluster.settle();
  const registered = await cluster.client.kind(APIService).get('v1alpha1.wardle.example.dev');
  expect(registered.status?.conditions?.[0]).toMatchObject({ type: 'Available', status: 'True', reason: 'Passed' });

  await cluster.client.kind(Fischer).create({ metadata: { name: 'fritz' } });
  const flunders = cluster.client.kind(Flunder).namespace('default');
  const made = await flunders.create({
    metadata: { name: 'one' },
    spec: { reference: 'fritz', referenceType: 'Fischer' },
  });
  expect(made.metadata).toMatchObject({ generation: 1, namespace: 'default' });
  await expect(flunders.create({ metadata: { name: 'two' }, spec: { reference: 'fritz' } })).rejects.toMatchObject({
    code: 422,
    message:
      'Flunder.wardle.example.dev "two" is invalid: <nil>: Invalid value: reference and referenceType go together',
  });
  const nowhere = cluster.client.kind(Flunder).namespace('nowhere');
  await expect(nowhere.create({ metadata: { name: 'one' } })).rejects.toMatchObject({
    code: 404,
    message: 'namespaces "nowhere" not found',
  });
  expect((await flunders.list({ fieldSelector: 'spec.reference=fritz' })).items).toHaveLength(1);

  const joe = cluster.as('joe').kind(Flunder).namespace('default');
  await expect(joe.get('one')).rejects.toMatchObject({
    code: 403,
    message:
      'flunders.wardle.example.dev "one" is forbidden: User "joe" cannot get resource "flunders" in API group "wardle.example.dev" in the namespace "default"',
  });
  await flunders.delete('one');
  await expect(flunders.get('one')).rejects.toMatchObject({ code: 404 });
});
