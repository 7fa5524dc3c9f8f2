import { expect, test } from 'vitest';
import { newReplicaSet, replicaSetName } from './new-replica-set.ts';
import { isSameTemplate } from './replica-sets.ts';
import { deployment } from './testing/samples.ts';

test('a new ReplicaSet has the hash of its template in name, labels and selector', () => {
  const owner = deployment({ annotations: { team: 'a' }, spec: { replicas: 3, minReadySeconds: 5 } });
  expect(newReplicaSet(owner, { hash: 'abc', revision: 4n, replicas: 2 })).toEqual({
    metadata: {
      name: 'web-abc',
      namespace: 'default',
      labels: { app: 'web', 'pod-template-hash': 'abc' },
      annotations: {
        team: 'a',
        'deployment.kubernetes.io/revision': '4',
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '3',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'web',
          uid: 'web-uid',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas: 2,
      minReadySeconds: 5,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': 'abc' } },
      template: {
        metadata: { labels: { app: 'web', 'pod-template-hash': 'abc' } },
        spec: { containers: [{ name: 'web', image: 'new' }] },
      },
    },
  });
});

test('a long name is truncated so that the hash fits', () => {
  expect(replicaSetName('a'.repeat(253), 'abc')).toBe(`${'a'.repeat(249)}-abc`);
});

test('templates are equal regardless of their hash and of a null creation time', () => {
  const labels = { app: 'web' };
  const left = { metadata: { labels: { ...labels, 'pod-template-hash': 'abc' } } };
  const right = JSON.parse('{"metadata":{"creationTimestamp":null,"labels":{"app":"web"}}}') as typeof left;
  expect(isSameTemplate(left, right)).toBe(true);
  expect(isSameTemplate(left, { metadata: { labels, annotations: { a: 'b' } } })).toBe(false);
});
