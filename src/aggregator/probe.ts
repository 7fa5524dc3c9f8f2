import type { Service } from '../api/types/core/v1.d.ts';
import type { EndpointSlice } from '../api/types/discovery/v1.d.ts';
import type { ObjectIndex, ServerObjects } from '../apiserver/index.ts';
import { messageOf } from '../base/index.ts';
import type { Backends } from './backends.ts';
import { type Availability, groupVersionPath, type RemoteService } from './registered-service.ts';

/** The user as which this server calls on its own behalf. */
export const AGGREGATOR_USER = { name: 'system:kube-aggregator', groups: ['system:masters'] };

const TIMEOUT_MS = 5000;
/** More than a version's list of resources needs; its contents do not matter. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Concurrent attempts after the first has failed: one good server of several is enough. */
const MORE_ATTEMPTS = 4;

const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };
export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** Checks whether the servers behind APIServices can be used. */
export class Probe {
  readonly #objects: ServerObjects;
  readonly #backends: Backends;
  #slices: ObjectIndex<EndpointSlice> | undefined;

  constructor(objects: ServerObjects, backends: Backends) {
    this.#objects = objects;
    this.#backends = backends;
  }

  /** Checks the Service, its endpoints, and then requests a document that every server has. */
  async check(remote: RemoteService, signal: AbortSignal): Promise<Availability> {
    return (await this.#serviceProblem(remote)) ?? (await this.#discoveryProblem(remote, signal)) ?? PASSED;
  }

  async #serviceProblem({ service: { namespace, name, port } }: RemoteService): Promise<Availability | undefined> {
    const where = `service/${name} in ${JSON.stringify(namespace)}`;
    let service: Service | undefined;
    try {
      service = await this.#objects.of<Service>('', 'services').get(namespace, name);
    } catch (error) {
      return unknown('ServiceAccessError', `${where} cannot be checked due to: ${messageOf(error)}`);
    }
    if (service === undefined) return failed('ServiceNotFound', `${where} is not present`);
    if (service.spec?.type !== 'ClusterIP') return undefined;
    const found = service.spec.ports?.find((each) => each.port === port);
    if (found === undefined) return failed('ServicePortError', `${where} is not listening on port ${port}`);
    let slices: readonly EndpointSlice[];
    try {
      slices = await this.#slicesOf(namespace, name);
    } catch (error) {
      return unknown('EndpointsAccessError', `${where} cannot be checked due to: ${messageOf(error)}`);
    }
    if (slices.length === 0) return failed('EndpointsNotFound', `cannot find endpointslices for ${where}`);
    const portName = found.name ?? '';
    if (slices.some((slice) => hasReadyEndpoint(slice, portName))) return undefined;
    const message = `endpointslices for ${where} have no addresses with port name ${JSON.stringify(portName)}`;
    return failed('MissingEndpoints', message);
  }

  async #slicesOf(namespace: string, name: string): Promise<readonly EndpointSlice[]> {
    this.#slices ??= this.#objects
      .of<EndpointSlice>('discovery.k8s.io', 'endpointslices')
      .index('aggregated service', ({ metadata }) => {
        const service = metadata?.labels?.['kubernetes.io/service-name'];
        return service === undefined ? [] : [`${metadata?.namespace}/${service}`];
      });
    await this.#slices.completed();
    return this.#slices.get(`${namespace}/${name}`);
  }

  async #discoveryProblem(remote: RemoteService, signal: AbortSignal): Promise<Availability | undefined> {
    const problem = await this.#ask(remote, signal);
    if (problem === undefined) return undefined;
    const more = await Promise.all(Array.from({ length: MORE_ATTEMPTS }, () => this.#ask(remote, signal)));
    return more.includes(undefined) ? undefined : failed('FailedDiscoveryCheck', problem);
  }

  /** Why one server does not answer well; undefined when it does. */
  async #ask(remote: RemoteService, signal: AbortSignal): Promise<string | undefined> {
    const path = groupVersionPath(remote);
    let origin: string | undefined;
    try {
      const backend = await this.#backends.find(remote);
      origin = backend.origin;
      const request = { path, user: AGGREGATOR_USER, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal };
      const { status } = await this.#backends.fetch(backend, request);
      if (status >= 200 && status < 300) return undefined;
      throw new Error(`bad status from ${origin}${path}: ${status}`);
    } catch (error) {
      if (origin === undefined) return messageOf(error);
      return `failing or missing response from ${origin}${path}: ${messageOf(error)}`;
    }
  }
}

function hasReadyEndpoint({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
  return isReady && (ports ?? []).some(({ name = '', port }) => name === portName && port !== undefined);
}

function failed(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}

function unknown(reason: string, message: string): Availability {
  return { status: 'Unknown', reason, message };
}
