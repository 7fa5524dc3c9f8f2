import type { EndpointSlice } from '../../src/api/types/discovery/v1.d.ts';
import type { Client } from '../../src/client/index.ts';
import { inTurns } from '../in-turns.ts';

export const NAMESPACE = 'default';

export interface ServiceCounts {
  readonly services: number;
  readonly endpoints: number;
  readonly node: string;
}

export function serviceName(index: number): string {
  return `service-${index}`;
}

/** Makes as many Services, each with a slice of as many endpoints, one of them on the node. */
export async function makeServices(client: Client, { services, endpoints, node }: ServiceCounts): Promise<void> {
  const all = client.core.v1.services.namespace(NAMESPACE);
  const slices = client.discovery.v1.endpointslices.namespace(NAMESPACE);
  await inTurns(services, async (index) => {
    await all.create({
      metadata: { name: serviceName(index), namespace: NAMESPACE },
      spec: { ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
    });
    await slices.create(sliceOf(index, { count: endpoints, node, generation: 0 }));
  });
}

/** The slice of a Service; another generation has another last endpoint. */
export function sliceOf(
  index: number,
  { count, node, generation }: { readonly count: number; readonly node: string; readonly generation: number },
): EndpointSlice {
  return {
    metadata: {
      name: serviceName(index),
      namespace: NAMESPACE,
      labels: { 'kubernetes.io/service-name': serviceName(index) },
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
    endpoints: Array.from({ length: count }, (_, at) => ({
      addresses: [addressOf(index * count + at + (at === count - 1 ? generation * 100_000 : 0))],
      nodeName: at === 0 ? node : `other-${at}`,
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: 'Pod', namespace: NAMESPACE, name: `${serviceName(index)}-${at}` },
    })),
  };
}

/** An address of pods: 10.128.0.0/9 has eight million. */
function addressOf(number: number): string {
  return `10.${128 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
}
