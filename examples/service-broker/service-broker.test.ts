import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { brokerClient } from 'keelson/broker';
import { expect, test } from 'vitest';
import { keyValueBroker } from './broker.ts';
import { KeyValues } from './key-values.ts';

test('an instance is a store, and a binding the way to it', async () => {
  const stores = new KeyValues(() => 'x');
  const server = stores.serve().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const broker = keyValueBroker(stores, url);
  await using serving = await broker.listen({ access: { basic: { platform: 'secret' } } });
  using client = brokerClient({ url: serving.url, basic: { username: 'platform', password: 'secret' } });

  const [service] = broker.catalog.services;
  const plan = { service_id: service?.id ?? '', plan_id: service?.plans[0]?.id ?? '' };
  const place = { ...plan, organization_guid: 'o', space_guid: 's' };
  expect((await client.provision('shop', { ...place, parameters: { maxKeys: 1 } })).status).toBe(201);
  const { body } = await client.bind({ instance: 'shop', binding: 'b' }, plan);
  const { credentials } = body as { credentials: { url: string; token: string } };
  const headers = { authorization: `Bearer ${credentials.token}` };
  const put = async (key: string): Promise<number> =>
    (await fetch(`${credentials.url}/${key}`, { method: 'PUT', headers, body: key })).status;
  expect([await put('one'), await put('two')]).toEqual([204, 403]);
  await client.update('shop', { service_id: plan.service_id, parameters: { maxKeys: 2 } });
  expect(await put('two')).toBe(204);
  expect(await (await fetch(`${credentials.url}/two`, { headers })).text()).toBe('two');

  await client.unbind({ instance: 'shop', binding: 'b' }, { serviceId: plan.service_id, planId: plan.plan_id });
  expect((await fetch(`${credentials.url}/two`, { headers })).status).toBe(401);
  server.close().closeAllConnections();
});
