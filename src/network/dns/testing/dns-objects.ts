// Objects of a cluster for tests, as an API server returns them.
import type { EndpointSlice, Namespace, Observed, Service } from '../../../client/index.ts';
import { ClusterRecords } from '../zone/cluster-records.ts';

const META = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

export function namespace(name: string): Observed<Namespace> {
  return { kind: 'Namespace', apiVersion: 'v1', metadata: { ...META, name } };
}

export function service(key: string, spec: Service['spec']): Observed<Service> {
  const [name = '', namespaceName] = key.split('.');
  return { kind: 'Service', apiVersion: 'v1', metadata: { ...META, name, namespace: namespaceName }, spec };
}

export function slice(
  name: string,
  of: string,
  rest: Pick<EndpointSlice, 'endpoints' | 'ports'>,
): Observed<EndpointSlice> {
  const [serviceName = '', namespaceName] = of.split('.');
  const labels = { 'kubernetes.io/service-name': serviceName };
  const metadata = { ...META, name, namespace: namespaceName, labels };
  return { kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1', metadata, addressType: 'IPv4', ...rest };
}

/** A cluster with a service `web.default`, a headless one `db.default` with two endpoints, and an alias `docs.default`. */
export function someRecords(): ClusterRecords {
  const records = new ClusterRecords();
  records.namespaceTarget().set(namespace('default'));
  const services = records.serviceTarget();
  services.set(service('web.default', { clusterIP: '10.96.1.1', ports: [{ name: 'http', port: 80 }] }));
  services.set(service('db.default', { clusterIP: 'None', ports: [{ name: 'pg', port: 5432 }] }));
  services.set(service('docs.default', { type: 'ExternalName', externalName: 'www.example.org' }));
  records.sliceTarget().set(
    slice('db-1', 'db.default', {
      ports: [{ name: 'pg', port: 5432, protocol: 'TCP' }],
      endpoints: [{ addresses: ['10.244.0.1'], hostname: 'db-0' }, { addresses: ['10.244.0.2'] }],
    }),
  );
  return records;
}
