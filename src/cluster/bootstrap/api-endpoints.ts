import { deepEqual } from '../../base/index.ts';
import type { ApiServer } from '../../apiserver/index.ts';

const SLICES = { group: 'discovery.k8s.io', plural: 'endpointslices', root: '/apis/discovery.k8s.io/v1' };
const ENDPOINTS = { group: '', plural: 'endpoints', root: '/api/v1' };
const NAMESPACE = 'default';
const NAME = 'kubernetes';

/** Lets the `kubernetes` Service lead to this server, wherever it listens this time. */
export async function publishApiEndpoints(
  server: ApiServer,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<void> {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  await publish(server, SLICES, {
    metadata: { name: NAME, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: family,
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  });
  await publish(server, ENDPOINTS, {
    metadata: { name: NAME, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  });
}

interface Published {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** Creates the object, or brings what differs up to date. */
async function publish(server: ApiServer, kind: typeof SLICES, wanted: Published): Promise<void> {
  const collection = `${kind.root}/namespaces/${NAMESPACE}/${kind.plural}`;
  if (await server.self.ensure(collection, wanted)) return;
  const current = await server.objects.of(kind.group, kind.plural).newest(NAMESPACE, NAME);
  const { metadata: _, ...content } = wanted;
  const isCurrent = Object.entries(content).every(([field, value]) => deepEqual(current?.[field], value));
  if (!isCurrent) await server.self.update(`${collection}/${NAME}`, { ...current, ...content });
}
