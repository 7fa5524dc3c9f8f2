import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { PodPreset, podPresetApp } from './podpreset.ts';

const preset = {
  metadata: { name: 'allow-database' },
  spec: {
    selector: { matchLabels: { role: 'frontend' } },
    env: [{ name: 'DB_PORT', value: '6379' }],
    envFrom: [{ configMapRef: { name: 'etcd-env-config' } }],
    volumeMounts: [{ mountPath: '/cache', name: 'cache-volume' }],
    volumes: [{ name: 'cache-volume', emptyDir: {} }],
  },
};
const pod = (name: string, more: object = {}, container: object = {}) => ({
  metadata: { name, labels: { role: 'frontend' }, ...more },
  spec: { containers: [{ name: 'website', image: 'nginx:1', ...container }] },
});

test('pods get the settings of matching presets, unless they conflict', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  await cluster.run(podPresetApp());
  const { metadata } = await cluster.client.kind(PodPreset).namespace('default').create(preset);
  await cluster.settle();
  const pods = cluster.client.core.v1.pods.namespace('default');

  const website = await pods.create(pod('website'));
  expect(website.spec?.containers[0]).toMatchObject({ env: preset.spec.env, envFrom: preset.spec.envFrom });
  expect(website.spec?.containers[0]?.volumeMounts).toContainEqual(preset.spec.volumeMounts[0]);
  expect(website.spec?.volumes).toContainEqual({ name: 'cache-volume', emptyDir: {} });
  expect(website.metadata.annotations).toEqual({
    'podpreset.admission.kubernetes.io/podpreset-allow-database': metadata.resourceVersion,
  });

  const clash = await pods.create(pod('clash', {}, { env: [{ name: 'DB_PORT', value: '1' }] }));
  expect(clash.spec?.containers[0]?.env).toEqual([{ name: 'DB_PORT', value: '1' }]);
  expect(cluster.requests().findLast(({ path }) => path.includes('/pods'))?.warnings).toEqual([
    'PodPresets are not applied: env "DB_PORT" of container "website" is there with another value',
  ]);
  const annotations = { 'podpreset.admission.kubernetes.io/exclude': 'true' };
  expect((await pods.create(pod('excluded', { annotations }))).spec?.containers[0]?.env).toBeUndefined();
  expect((await pods.create(pod('other', { labels: {} }))).spec?.containers[0]?.env).toBeUndefined();
});
