import { request } from 'node:https';
import { expect, test } from 'vitest';
import { AbortScope } from '../base/index.ts';
import { APIService } from '../client/index.ts';
import { api, app, extensionServer, memoryStorage, resource } from '../kit/index.ts';
import { startCluster } from './index.ts';

const VERSION = 'shop.example.dev/v1';
const Toy = resource(VERSION, 'Toy', { spec: { type: 'object', properties: { color: { type: 'string' } } } });
const PATH = `/apis/${VERSION}/namespaces/default/toys/car`;

test('over HTTPS only the front proxy, known by its certificate, may name the user', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const server = extensionServer({ apis: [api(VERSION, { toys: memoryStorage(Toy) })] });
  using stop = new AbortScope();
  const running = app('shop', [], { server }).run(cluster.client, stop.signal);
  const { port } = await server.listening();
  for await (const event of cluster.client.kind(APIService).watch({ signal: stop.signal })) {
    if (event.type === 'BOOKMARK' || event.object.metadata.name !== 'v1.shop.example.dev') continue;
    if (event.object.status?.conditions?.[0]?.status === 'True') break;
  }
  const toys = cluster.client.kind(Toy).namespace('default');
  await toys.create({ metadata: { name: 'car' }, spec: { color: 'red' } });
  expect((await toys.get('car')).spec.color).toBe('red');

  const said = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
  const { code, text } = await ask(port, said);
  expect(code).toBe(403);
  expect(text).toContain('User \\"system:anonymous\\" cannot get resource \\"toys\\"');
  expect(await ask(port, { authorization: 'Bearer nonsense' })).toMatchObject({ code: 401 });
  stop.abort();
  await running;
});

function ask(port: number, headers: Record<string, string>): Promise<{ code: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: PATH, headers, rejectUnauthorized: false, agent: false };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.on('error', reject);
    sent.end();
  });
}
