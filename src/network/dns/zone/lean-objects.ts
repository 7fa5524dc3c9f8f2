import type { Endpoint, EndpointPort } from '../../../api/types/discovery/v1.d.ts';
import type { ServicePort } from '../../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../../base/index.ts';
import type { EndpointSlice, Namespace, Observed, Service } from '../../../client/index.ts';

/**
 * What the zone needs of objects, and nothing else: a list of thousands is never whole in memory. Objects are made afresh, so that
 * nothing of the original lives on.
 */

export function leanNamespace({ kind, apiVersion, metadata }: Observed<Namespace>): Observed<Namespace> {
  return { kind, apiVersion, metadata: leanMeta(metadata) };
}

export function leanService({ kind, apiVersion, metadata, spec = {} }: Observed<Service>): Observed<Service> {
  const { type, externalName, clusterIP, clusterIPs } = spec;
  const ports = spec.ports?.map(({ name, protocol, port }: DeepReadonly<ServicePort>) => ({ name, protocol, port }));
  return { kind, apiVersion, metadata: leanMeta(metadata), spec: { type, externalName, clusterIP, clusterIPs, ports } };
}

export function leanSlice(slice: Observed<EndpointSlice>): Observed<EndpointSlice> {
  const { kind, apiVersion, metadata, addressType, endpoints, ports } = slice;
  return {
    kind,
    apiVersion,
    metadata: { ...leanMeta(metadata), labels: metadata.labels },
    addressType,
    endpoints: endpoints?.map(({ addresses, conditions, hostname }: DeepReadonly<Endpoint>) => {
      return { addresses, conditions: { ready: conditions?.ready }, hostname };
    }),
    ports: ports?.map(({ name, protocol, port }: DeepReadonly<EndpointPort>) => ({ name, protocol, port })),
  };
}

type Meta = Observed<Service>['metadata'];

function leanMeta({ name, namespace, uid, resourceVersion, creationTimestamp }: Meta): Meta {
  return { name, namespace, uid, resourceVersion, creationTimestamp };
}
