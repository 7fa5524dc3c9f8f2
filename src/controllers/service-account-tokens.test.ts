import { expect, test } from 'vitest';
import { startCluster } from '../testing/index.ts';

const type = 'kubernetes.io/service-account-token';
const annotations = { 'kubernetes.io/service-account.name': 'robot' };

test('a Secret for a service account gets a valid token, and is deleted with the account', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const { core, authentication } = cluster.client;
  const accounts = core.v1.serviceaccounts.namespace('default');
  const secrets = core.v1.secrets.namespace('default');
  const account = await accounts.create({ metadata: { name: 'robot' } });
  await secrets.create({ metadata: { name: 'robot-token', annotations }, type });
  await cluster.settle();

  const { data = {}, metadata } = await secrets.get('robot-token');
  expect(metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(account.metadata.uid);
  expect(Buffer.from(data['namespace'] ?? '', 'base64').toString()).toBe('default');
  expect(Buffer.from(data['ca.crt'] ?? '', 'base64').toString()).toContain('BEGIN CERTIFICATE');
  const token = Buffer.from(data['token'] ?? '', 'base64').toString();
  const { status } = await authentication.v1.tokenreviews.create({ spec: { token } });
  expect(status).toMatchObject({
    authenticated: true,
    user: { username: 'system:serviceaccount:default:robot', uid: account.metadata.uid },
  });

  await secrets.create({
    metadata: { name: 'nobodys', annotations: { 'kubernetes.io/service-account.name': 'gone' } },
    type,
  });
  await cluster.settle();
  await expect(secrets.get('nobodys')).rejects.toMatchObject({ code: 404 });

  await accounts.delete('robot');
  await cluster.settle();
  await expect(secrets.get('robot-token')).rejects.toMatchObject({ code: 404 });
  expect(cluster.problems).toEqual([]);
});
