import { notFound, StatusError } from '../api/index.ts';
import type { Service } from '../api/types/core/v1.d.ts';
import { EndpointResolver, type ServerObjects, type ServiceResolver } from '../apiserver/index.ts';
import type { Random } from '../base/index.ts';
import type { DialAddress } from '../wire/http/index.ts';
import type { RemoteService } from './registered-service.ts';

/**
 * How services become addresses:
 * - `endpoints`: a ready endpoint, as kube-apiserver with `--enable-aggregator-routing`; no ExternalName services;
 * - `cluster-ip`: the cluster IP or the external name, as kube-apiserver without that flag;
 * - `reachable`: a ready endpoint or the external name. Right where nothing forwards cluster IPs.
 */
export type ServiceRouting = 'endpoints' | 'cluster-ip' | 'reachable';

/** Finds the address to connect to for the service of an APIService or a webhook. Refuses by throwing. */
export class ServiceRoutes implements ServiceResolver {
  readonly #objects: ServerObjects;
  readonly #routing: ServiceRouting;
  readonly #endpoints: ServiceResolver;

  constructor(objects: ServerObjects, random: Random, routing: ServiceRouting) {
    this.#objects = objects;
    this.#routing = routing;
    this.#endpoints = new EndpointResolver(objects, random);
  }

  async resolve(reference: RemoteService['service']): Promise<DialAddress> {
    if (this.#routing === 'endpoints') return this.#endpoints.resolve(reference);
    const { namespace, name, port } = reference;
    const service = await this.#objects.of<Service>('', 'services').get(namespace, name);
    if (service === undefined) throw notFound({ group: '', resource: 'service' }, name);
    const { type = '', externalName = '', clusterIP = '', ports } = service.spec ?? {};
    if (type === 'ExternalName') return { host: externalName, port };
    if (this.#routing === 'reachable') return this.#endpoints.resolve(reference);
    if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
    if (ports?.some((each) => each.port === port) === true) return { host: clusterIP, port };
    const message = `no service port ${port} found for service "${name}"`;
    throw new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
  }
}
