import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { discardLogger } from '../../base/index.ts';
import type { EventDetails } from '../../kit/index.ts';
import type { ProxiedPort } from '../services/index.ts';
import { ServiceTable } from '../services/service-table.ts';
import { serviceOf, sliceOf } from '../services/testing/services.ts';
import { HealthPorts } from './health-ports.ts';

const LOOPBACK = ['127.0.0.1'];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A load balanced Service whose health port is this one, with endpoints on these nodes. */
async function portsOf(healthCheckNodePort: number, ...nodes: string[]): Promise<readonly ProxiedPort[]> {
  const table = new ServiceTable('IPv4', 'n1');
  const spec = {
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    clusterIP: '10.96.0.1',
    healthCheckNodePort,
  } as const;
  table.setService('default/web', serviceOf('web', spec));
  table.setSlice(
    sliceOf(
      'web',
      nodes.map((nodeName, at) => ({ addresses: [`10.244.0.${at}`], nodeName })),
    ),
  );
  await table.resolve({ isOver: false, next: async () => undefined });
  return [...table.ports.values()];
}

test('the port says whether the node has endpoints, as long as the Service has it', async () => {
  const port = await freePort();
  let isProxyHealthy = true;
  const open = (events: EventDetails[]) =>
    new HealthPorts({
      family: 'IPv4',
      node: 'n1',
      events: { event: (_, details) => void events.push(details) },
      isProxyHealthy: () => isProxyHealthy,
      log: discardLogger,
    });
  await using ports = open([]);
  const ask = async (): Promise<Response> => fetch(`http://127.0.0.1:${port}/`);

  await ports.sync(await portsOf(port, 'n1', 'n1', 'n2'), LOOPBACK);
  const answer = await ask();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-load-balancing-endpoint-weight')).toBe('2');
  expect(await answer.text()).toBe(
    '{\n\t"service": {\n\t\t"namespace": "default",\n\t\t"name": "web"\n\t},\n\t"localEndpoints": 2,\n\t"serviceProxyHealthy": true\n}',
  );
  isProxyHealthy = false;
  expect((await ask()).status).toBe(503);
  isProxyHealthy = true;
  await ports.sync(await portsOf(port, 'n2'), LOOPBACK);
  expect((await ask()).status).toBe(503);

  const events: EventDetails[] = [];
  await using others = open(events);
  await others.sync(await portsOf(port, 'n1'), LOOPBACK);
  expect(events).toEqual([
    {
      type: 'Warning',
      reason: 'FailedToStartServiceHealthcheck',
      action: 'Listen',
      message: expect.stringMatching(
        /^node n1 failed to start healthcheck "default\/web" on port \d+: listen EADDRINUSE/,
      ) as unknown,
    },
  ]);

  await ports.sync([], LOOPBACK);
  await expect(ask()).rejects.toThrow('fetch failed');
});
