import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test } from 'vitest';
import { userspaceProxy } from './userspace-proxy.ts';

/** A server that greets with its name, at a free port. */
async function greeter(name: string): Promise<number> {
  const server: Server = createServer((socket) => socket.end(name)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** What is read from a port until its end; empty where nothing listens. */
async function read(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (data: string) => (text += data)).on('error', () => undefined);
  await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

test('a node port leads to the endpoints, one after the other, as they come and go', async () => {
  await using cluster = await startCluster({ nodes: 1 });
  const { client } = cluster;
  const [node] = (await client.core.v1.nodes.list()).items;
  const dial = (port: number) => connect(port, '127.0.0.1'); // endpoints of Services are never on loopback
  await cluster.run(userspaceProxy({ node: node?.metadata.name ?? '', host: '127.0.0.1', dial }));
  const ports = await Promise.all(['a', 'b'].map(greeter));
  const service = await client.core.v1.services.namespace('default').create({
    metadata: { name: 'web' },
    spec: { type: 'NodePort', ports: [{ name: 'http', port: 80 }] },
  });
  const nodePort = service.spec?.ports?.[0]?.nodePort ?? 0;
  const slices = client.discovery.v1.endpointslices.namespace('default');
  for (const [at, port] of ports.entries())
    await slices.create({
      metadata: { name: `web-${at}`, labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port }],
      endpoints: [{ addresses: ['192.0.2.1'] }],
    });
  const twice = async () => [await read(nodePort), await read(nodePort)].toSorted();
  await expect.poll(twice).toEqual(['a', 'b']); // real ports open and close in their own time

  await slices.delete('web-0');
  await expect.poll(twice).toEqual(['b', 'b']);

  await client.core.v1.services.namespace('default').delete('web');
  await expect.poll(() => read(nodePort)).toBe('');
});
