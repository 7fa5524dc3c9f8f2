import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test } from 'vitest';
import { digestsOnly } from './image-policy.ts';

const DIGEST = 'nginx@sha256:0000000000000000000000000000000000000000000000000000000000000000';

test('pods run images by digest, unless they say why not', async () => {
  const stop = new AbortController();
  const server = digestsOnly();
  const running = server.run(stop.signal);
  const folder = await mkdtemp(join(tmpdir(), 'image-policy-'));
  onTestFinished(async () => {
    stop.abort();
    await running;
    await rm(folder, { recursive: true });
  });
  const kubeConfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeConfigFile, await server.kubeconfig('/images'));
  await using cluster = await startCluster({
    nodes: 0,
    admission: {
      enable: ['ImagePolicyWebhook'],
      configuration: { ImagePolicyWebhook: JSON.stringify({ imagePolicy: { kubeConfigFile } }) },
    },
  });
  const pods = cluster.client.core.v1.pods.namespace('default');
  const pod = (name: string, image: string, annotations = {}) =>
    pods.create({ metadata: { name, annotations }, spec: { containers: [{ name: 'c', image }] } });

  await pod('pinned', DIGEST);
  await pod('urgent', 'nginx', { 'acme.image-policy.k8s.io/break-glass': 'TICKET-7' });
  await expect(pod('loose', 'nginx')).rejects.toThrow(
    'pods "loose" is forbidden: image policy webhook backend denied one or more images: nginx is not named by its digest',
  );
});
