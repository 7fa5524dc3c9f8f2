import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { builtInResources } from '../../resources/index.ts';
import { MemoryServer } from '../testing/memory-server.ts';
import { EndpointResolver } from './service-resolver.ts';

class ServiceServer extends MemoryServer {
  readonly resolver: EndpointResolver;

  constructor() {
    super();
    const { types, objects, random, clock } = this;
    this.server.registry.register(builtInResources(types, { objects, random, clock, serviceCidrs: ['10.0.0.0/16'] }));
    this.resolver = new EndpointResolver(objects, new SeededRandom(1));
  }

  async create(path: string, body: object): Promise<void> {
    const answer = await this.server.answer(this.callOf('POST', path, { body }));
    expect(answer).toMatchObject({ code: 201 });
  }

  /** The addresses that were chosen in thirty tries. */
  async chosen(): Promise<string[]> {
    const found = new Set<string>();
    for (let tries = 0; tries < 30; tries++) {
      const { host, port } = await this.resolver.resolve({ namespace: 'default', name: 'hook', port: 443 });
      found.add(`${host}:${port}`);
    }
    return [...found].sort();
  }
}

test('chooses a ready endpoint of the named port, preferring the first address family', async () => {
  await using api = new ServiceServer();
  const ports = [
    { name: 'metrics', port: 80 },
    { name: 'hook', port: 443, targetPort: 8443 },
  ];
  await api.create('/api/v1/namespaces/default/services', { metadata: { name: 'hook' }, spec: { ports } });
  const slice = (name: string, addressType: string, endpoints: readonly object[]): Promise<void> =>
    api.create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name, labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType,
      ports: [
        { name: 'metrics', port: 8080 },
        { name: 'hook', port: 8443 },
      ],
      endpoints,
    });
  await slice('six', 'IPv6', [{ addresses: ['fd00::1'] }]);
  expect(await api.chosen()).toEqual(['fd00::1:8443']);

  await slice('four', 'IPv4', [
    { addresses: ['10.1.0.1'], conditions: { ready: true } },
    { addresses: ['10.1.0.2'], conditions: { ready: false } },
    { addresses: ['10.1.0.3'] },
  ]);
  expect(await api.chosen()).toEqual(['10.1.0.1:8443', '10.1.0.3:8443']);
});
