import { deepEqual } from '../../base/index.ts';
import type { Loopback } from '../loopback.ts';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const ENDPOINTS = '/api/v1/namespaces/default/endpoints';
const NAME = 'kubernetes';

/** Lets the `kubernetes` Service lead to this server, wherever it listens this time. */
export async function publishApiEndpoints(
  loopback: Loopback,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<void> {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  await publish(loopback, SLICES, {
    metadata: { name: NAME, labels: { 'kubernetes.io/service-name': NAME } },
    addressType: family,
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  });
  await publish(loopback, ENDPOINTS, {
    metadata: { name: NAME, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  });
}

interface Published {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** Creates the object, or brings what differs up to date. */
async function publish(loopback: Loopback, path: string, wanted: Published): Promise<void> {
  if (await loopback.ensure(path, wanted)) return;
  const current = await loopback.get(`${path}/${NAME}`);
  const { metadata: _, ...content } = wanted;
  const isCurrent = Object.entries(content).every(([field, value]) => deepEqual(current?.[field], value));
  if (!isCurrent) await loopback.update(`${path}/${NAME}`, { ...current, ...content });
}
