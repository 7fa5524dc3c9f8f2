import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test } from 'vitest';
import { teamServer } from './authorization-webhook.ts';

test('a team may do everything in its namespace, and others see no secrets there', async () => {
  const stop = new AbortController();
  const server = teamServer();
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const webhook = { target: await server.clientConfig('/authorize'), credential: {} };
  await using cluster = await startCluster({
    nodes: 0,
    authorization: { modes: ['Node', 'Webhook', 'RBAC'], webhook: { webhook, version: 'v1' } },
  });
  await cluster.client.core.v1.namespaces.create({ metadata: { name: 'shop' } });
  const own = cluster.as('ada', ['team-shop']).core.v1.secrets.namespace('shop');
  await own.create({ metadata: { name: 'till' }, stringData: { pin: '1234' } });
  expect((await own.get('till')).metadata.name).toBe('till');
  await expect(cluster.as('bob', ['team-search']).core.v1.secrets.namespace('shop').list()).rejects.toThrow(
    `secrets is forbidden: User "bob" cannot list resource "secrets" in API group "" in the namespace "shop": they are team-shop's`,
  );
});
