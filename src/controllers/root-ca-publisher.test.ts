import { expect, test } from 'vitest';
import { mergePatch } from '../client/index.ts';
import { rootCaPublisher } from './root-ca-publisher.ts';
import { startWith } from './testing/controller-cluster.ts';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';

test('every namespace has the certificate; changes and deletions are reverted, additions by others stay', async () => {
  await using cluster = await startWith(rootCaPublisher({ certificate: 'PEM' }));
  const { namespaces, configmaps } = cluster.client.core.v1;
  await namespaces.create({ metadata: { name: 'new' } });
  await cluster.settle();
  const maps = configmaps.namespace('new');
  const made = await maps.get(NAME);
  expect(made.data).toEqual({ 'ca.crt': 'PEM' });
  expect(made.metadata.annotations?.[DESCRIPTION]).toMatch(/^Contains a CA bundle/);

  const metadata = { labels: { mine: 'yes' }, annotations: { [DESCRIPTION]: null, other: 'kept' } };
  await maps.patch(NAME, mergePatch({ metadata, data: { 'ca.crt': 'forged', more: '1' }, binaryData: { b: 'eA==' } }));
  await cluster.settle();
  expect(await maps.get(NAME)).toMatchObject({
    metadata: {
      uid: made.metadata.uid,
      labels: { mine: 'yes' },
      annotations: { ...made.metadata.annotations, other: 'kept' },
    },
    data: { 'ca.crt': 'PEM' },
    binaryData: { b: 'eA==' },
  });
  expect((await maps.get(NAME)).data).toEqual({ 'ca.crt': 'PEM' });

  await maps.delete(NAME);
  await cluster.settle();
  expect((await maps.get(NAME)).data).toEqual({ 'ca.crt': 'PEM' });
  expect(cluster.problems).toEqual([]);
});
