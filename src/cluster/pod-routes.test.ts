import { expect, test } from 'vitest';
import { KindServer } from '../apiserver/testing/kind-server.ts';
import { discardLogger, messageOf } from '../base/index.ts';
import { LocalNodes } from './local-nodes.ts';
import { PodRoutes } from './pod-routes.ts';

const ADDRESS = { host: '10.244.1.5', port: 8443, name: 'default/hook' };

/** A server that knows a pod on a real node, whose network it has a route to or not. */
async function routesWith(problem?: 'network is unreachable'): Promise<{ routes: PodRoutes; asked: string[] }> {
  const server = new KindServer();
  const containers = [{ name: 'main', image: 'hook' }];
  await server.send('POST', '/api/v1/nodes', {
    body: { metadata: { name: 'node-2' }, spec: { podCIDRs: ['10.244.1.0/24'] } },
  });
  await server.send('POST', '/api/v1/namespaces/default/pods', {
    body: { metadata: { name: 'hook' }, spec: { nodeName: 'node-2', containers } },
  });
  const asked: string[] = [];
  const routeProblem = async (address: string): Promise<typeof problem> => {
    asked.push(address);
    return problem;
  };
  const routes = new PodRoutes(server.objects, new LocalNodes(discardLogger), { routeProblem });
  return { routes, asked };
}

test('a pod of a real node is dialled at its address where the machine has a route to it', async () => {
  const { routes, asked } = await routesWith();

  expect(await routes.routeTo(ADDRESS)).toBeUndefined();
  expect(asked).toEqual(['10.244.1.5']);
});

test('a pod of a real node is refused with the reason where the machine has no route to it', async () => {
  const { routes } = await routesWith('network is unreachable');

  expect(await routes.routeTo(ADDRESS).catch(messageOf)).toBe(
    'dial tcp 10.244.1.5:8443: connect: network is unreachable: it is the address of pod "default/hook" on node "node-2", and this API server has no route to the network of its pods',
  );
});

test('addresses that belong to no pod are dialled without a question', async () => {
  const { routes, asked } = await routesWith('network is unreachable');

  expect(await routes.routeTo({ host: '192.0.2.9', port: 443 })).toBeUndefined();
  expect(asked).toEqual([]);
});
