import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { podLabelsApp } from './pod-labels-webhook.ts';

const TEAM = 'acme.dev/team';
const pod = (image: string, labels = {}) => ({
  metadata: { name: 'web', labels },
  spec: { containers: [{ name: 'web', image }] },
});

test('pods are labelled and checked before they are stored, except those of the system', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  await cluster.run(podLabelsApp());
  await cluster.settle();
  const pods = cluster.client.core.v1.pods.namespace('default');

  await expect(pods.create(pod('web:latest'))).rejects.toMatchObject({
    code: 403,
    message:
      'admission webhook "labels.pods.acme.dev" denied the request: ' +
      'container "web" must name a version of its image, not latest',
  });
  expect((await pods.create(pod('web:1'))).metadata.labels).toEqual({ [TEAM]: 'none' });
  const system = cluster.client.core.v1.pods.namespace('kube-system');
  expect((await system.create(pod('web:latest'))).metadata.labels).toBeUndefined();
});
