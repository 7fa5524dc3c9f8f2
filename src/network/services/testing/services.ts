// Services, slices and ports for tests, with as little said as possible.
import type { Service, ServiceSpec } from '../../../api/types/core/v1.d.ts';
import type { Endpoint, EndpointSlice } from '../../../api/types/discovery/v1.d.ts';
import type { PortFacts } from '../proxied-port.ts';
import { readService } from '../read-service.ts';

export function serviceOf(name: string, spec: Partial<ServiceSpec>, more: Partial<Service> = {}): Service {
  const { status } = more;
  return {
    metadata: { namespace: 'default', name, ...more.metadata },
    spec: { type: 'ClusterIP', ports: [{ name: 'http', protocol: 'TCP', port: 80 }], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** The facts of the first IPv4 port of a Service. */
export function factsOf(spec: Partial<ServiceSpec>, more: Partial<Service> = {}): PortFacts {
  const [facts] = readService(serviceOf('web', { clusterIP: '10.96.0.1', ...spec }, more), 'IPv4');
  if (facts === undefined) throw new Error('the Service has no port');
  return facts;
}

export interface SliceDetails {
  readonly name?: string;
  readonly addressType?: EndpointSlice['addressType'];
  readonly ports?: EndpointSlice['ports'];
}

/** A slice of `default/SERVICE` with port `http` 8080. */
export function sliceOf(service: string, endpoints: Endpoint[], details: SliceDetails = {}): EndpointSlice {
  const { name = `${service}-1`, addressType = 'IPv4', ports } = details;
  return {
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': service } },
    addressType,
    ports: ports ?? [{ name: 'http', protocol: 'TCP', port: 8080 }],
    endpoints,
  };
}
