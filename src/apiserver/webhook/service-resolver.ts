import type { EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import type { Service, ServicePort } from '../../api/types/core/v1.d.ts';
import { notFound, StatusError } from '../../api/index.ts';
import type { Random } from '../../base/index.ts';
import type { DialAddress } from '../../wire/http/index.ts';
import type { ObjectIndex } from '../objects/objects-of.ts';
import type { ServerObjects } from '../objects/server-objects.ts';
import type { WebhookService } from './webhook-target.ts';

/** Finds an address to connect to for a service. Fails by throwing. */
export interface ServiceResolver {
  resolve(service: WebhookService & { readonly port: number }): Promise<DialAddress>;
}

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
const ROUTED_TYPES: readonly string[] = ['ClusterIP', 'NodePort', 'LoadBalancer'];

/**
 * Connects to a ready endpoint of the service instead of its cluster IP, as kube-apiserver does with `--enable-aggregator-routing`: this
 * process rarely runs on a machine where kube-proxy forwards cluster IPs. Endpoints are chosen at random.
 */
export class EndpointResolver implements ServiceResolver {
  readonly #objects: ServerObjects;
  readonly #random: Random;
  #slices: ObjectIndex<EndpointSlice> | undefined;

  constructor(objects: ServerObjects, random: Random) {
    this.#objects = objects;
    this.#random = random;
  }

  async resolve({ namespace, name, port }: WebhookService & { readonly port: number }): Promise<DialAddress> {
    const service = await this.#objects.of<Service>('', 'services').get(namespace, name);
    if (service === undefined) throw notFound({ group: '', resource: 'service' }, name);
    const type = service.spec?.type ?? '';
    if (!ROUTED_TYPES.includes(type)) throw new Error(`unsupported service type "${type}"`);
    const servicePort = service.spec?.ports?.find((each) => each.port === port);
    if (servicePort === undefined) throw unavailable(`no service port ${port} found for service "${name}"`);
    const slices = this.#slicesOf(namespace, name, service.spec?.ipFamilies?.[0]);
    const found = this.#endpoint(slices, servicePort);
    if (found === undefined) throw unavailable(`no endpoints available for service "${name}"`);
    return found;
  }

  /** Slices of the service's first address family come first; otherwise in any order. */
  #slicesOf(namespace: string, name: string, family: string | undefined): readonly EndpointSlice[] {
    this.#slices ??= this.#objects
      .of<EndpointSlice>('discovery.k8s.io', 'endpointslices')
      .index('webhook service', ({ metadata }) => {
        const service = metadata?.labels?.[SERVICE_NAME_LABEL];
        return service === undefined ? [] : [`${metadata?.namespace}/${service}`];
      });
    const slices = this.#slices.get(`${namespace}/${name}`);
    const isPreferred = ({ addressType }: EndpointSlice): boolean => family === undefined || addressType === family;
    return [...slices.filter(isPreferred), ...slices.filter((slice) => !isPreferred(slice))];
  }

  #endpoint(slices: readonly EndpointSlice[], { name = '' }: ServicePort): DialAddress | undefined {
    for (const { ports = [], endpoints } of slices) {
      const port = ports?.find((each) => (each.name ?? '') === name)?.port;
      const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
      if (port === undefined || ready.length === 0) continue;
      const { addresses: [host] = [], targetRef } = ready[this.#random.int(ready.length)] ?? {};
      const pod = targetRef?.kind === 'Pod' ? `${targetRef.namespace}/${targetRef.name}` : undefined;
      if (host !== undefined) return { host, port, ...(pod === undefined ? {} : { name: pod }) };
    }
    return undefined;
  }
}

function unavailable(message: string): StatusError {
  return new StatusError({ code: 503, reason: 'ServiceUnavailable', message });
}
