import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { startCluster } from '../../testing/index.ts';

test('bootstrap tokens sign cluster-info, and are deleted when they expire', async () => {
  await using cluster = await startCluster({ nodes: 0, startAt: '2026-01-01T00:00:00Z' });
  const { secrets, configmaps } = cluster.client.core.v1;
  const newToken = (id: string, more: Record<string, string>): Promise<unknown> =>
    secrets.namespace('kube-system').create({
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', ...more },
    });
  const signing = { 'usage-bootstrap-signing': 'true' };
  await newToken('abcdef', { ...signing, expiration: '2026-01-01T01:00:00Z' });
  await newToken('fedcba', {});
  await newToken('aaaaaa', { ...signing, expiration: 'never' });
  const info = configmaps.namespace('kube-public');
  await info.create({ metadata: { name: 'cluster-info' }, data: { kubeconfig: 'hello', 'jws-kubeconfig-gone': 'x' } });
  await cluster.settle();

  const header = Buffer.from('{"alg":"HS256","kid":"abcdef"}').toString('base64url');
  const signed = `${header}.${Buffer.from('hello').toString('base64url')}`;
  const signature = createHmac('sha256', '0123456789abcdef').update(signed).digest('base64url');
  expect((await info.get('cluster-info')).data).toEqual({
    kubeconfig: 'hello',
    'jws-kubeconfig-abcdef': `${header}..${signature}`,
  });
  const names = async (): Promise<unknown> =>
    (await secrets.namespace('kube-system').list()).items.map(({ metadata }) => metadata.name).sort();
  expect(await names()).toEqual(['bootstrap-token-abcdef', 'bootstrap-token-fedcba']);

  await cluster.clock.advance('1h');
  await cluster.settle();
  expect(await names()).toEqual(['bootstrap-token-fedcba']);
  expect((await info.get('cluster-info')).data).toEqual({ kubeconfig: 'hello' });
  expect(cluster.problems).toEqual([]);
});
