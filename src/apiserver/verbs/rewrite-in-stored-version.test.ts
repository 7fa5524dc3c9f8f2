import { expect, test } from 'vitest';
import { cronTabs } from '../testing/cron-tabs.ts';
import { KindServer } from '../testing/kind-server.ts';

const PATH = '/apis/stable.example.com/v1/namespaces/default/crontabs';

test('a write that changes nothing stores an object again if it is stored in an older version', async () => {
  await using api = new KindServer();
  const { registry } = api.server;
  registry.register(cronTabs({ versions: ['v1', 'v2'] }));
  const object = { apiVersion: 'stable.example.com/v1', kind: 'CronTab', metadata: { name: 'a' } };
  const created = (await api.send('POST', PATH, { body: object })).json();
  registry.register(cronTabs({ versions: ['v2', 'v1'] }));
  const objects = api.objects.of('stable.example.com', 'crontabs');
  expect((await objects.get('default', 'a'))?.apiVersion).toBe('stable.example.com/v1');

  const { uid, resourceVersion } = created.metadata;
  const apply = (sent: object) =>
    api.send('PATCH', `${PATH}/a?fieldManager=migrator`, {
      body: { ...object, metadata: sent },
      type: 'application/apply-patch+yaml',
    });
  const rewritten = (await apply({ uid, resourceVersion })).json();
  expect(rewritten.apiVersion).toBe('stable.example.com/v1');
  expect(Number(rewritten.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
  expect((await objects.get('default', 'a'))?.apiVersion).toBe('stable.example.com/v2');

  const again = (await apply({ uid, resourceVersion: rewritten.metadata.resourceVersion })).json();
  expect(again.metadata.resourceVersion).toBe(rewritten.metadata.resourceVersion);
  expect((await apply({ uid, resourceVersion })).code).toBe(409);
});
