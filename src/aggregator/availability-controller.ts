import { hasReason } from '../api/index.ts';
import type { Service } from '../api/types/core/v1.d.ts';
import type { EndpointSlice } from '../api/types/discovery/v1.d.ts';
import type { ApiServer } from '../apiserver/index.ts';
import { deepEqual, type Logger, type MetricRegistry, type Random } from '../base/index.ts';
import { KeyedWork, type WorkResult } from './keyed-work.ts';
import { LOCAL, type Probe } from './probe.ts';
import { API_SERVICES_PATH, availabilityOf, type StoredApiService, withAvailability } from './registered-service.ts';
import type { RegisteredServices } from './registered-services.ts';

export interface AvailabilityOptions {
  readonly server: ApiServer;
  readonly services: RegisteredServices;
  readonly probe: Probe;
  readonly metrics: MetricRegistry;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Max delay until a server that disappears without a change in the cluster is noticed. */
const CHECK_EVERY_MS = 30_000;

/** Keeps the condition Available of all APIServices up to date: on changes, and periodically. */
export class AvailabilityController implements Disposable {
  readonly #options: AvailabilityOptions;
  readonly #metrics: AvailabilityMetrics;
  readonly #work: KeyedWork;
  /** Objects as last written here, so that the event of our own write does not trigger another check. */
  readonly #written = new Map<string, StoredApiService>();
  readonly #subscriptions: Disposable[] = [];
  #isFollowingServices = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    this.#metrics = new AvailabilityMetrics(options.metrics);
    this.#work = new KeyedWork({
      ...options,
      clock: options.server.services.clock,
      name: 'availability',
      backoff: { initialMs: 5, capMs: 30_000 },
      maxAtOnce: 5,
      act: (name, signal) => this.#check(name, signal),
    });
  }

  start(): void {
    const { services } = this.#options;
    const look = (name: string): void => {
      if (services.remotes.has(name)) this.#followServices();
      if (!this.#isOwnWrite(name)) this.#work.add(name);
    };
    for (const { metadata } of services.all()) look(metadata.name);
    this.#subscriptions.push(services.onChange(look));
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    this.#work[Symbol.dispose]();
  }

  #isOwnWrite(name: string): boolean {
    const written = this.#written.get(name);
    const object = this.#options.services.get(name);
    if (written === undefined || object === undefined) return false;
    return deepEqual(written.spec, object.spec) && deepEqual(written.status, object.status);
  }

  /** Follows Services and their endpoints once an APIService names one. */
  #followServices(): void {
    if (this.#isFollowingServices) return;
    this.#isFollowingServices = true;
    const { objects } = this.#options.server;
    this.#subscriptions.push(
      objects.of<Service>('', 'services').onChange(({ current, previous }) => {
        const { namespace = '', name = '' } = (current ?? previous)?.metadata ?? {};
        this.#serviceChanged(namespace, name);
      }),
      objects.of<EndpointSlice>('discovery.k8s.io', 'endpointslices').onChange(({ current, previous }) => {
        const { namespace = '', labels } = (current ?? previous)?.metadata ?? {};
        this.#serviceChanged(namespace, labels?.['kubernetes.io/service-name'] ?? '');
      }),
    );
  }

  #serviceChanged(namespace: string, serviceName: string): void {
    for (const { name, service } of this.#options.services.remotes.values()) {
      if (service.name === serviceName && service.namespace === namespace) this.#work.add(name);
    }
  }

  async #check(name: string, signal: AbortSignal): Promise<WorkResult> {
    const { server, services, probe } = this.#options;
    const remote = services.remotes.get(name);
    const found = remote === undefined ? LOCAL : await probe.check(remote, signal);
    const object = services.get(name);
    if (object === undefined) {
      this.#metrics.forget(name);
      this.#written.delete(name);
      return 'done';
    }
    if (remote !== services.remotes.get(name)) return 'done'; // the change was announced, and triggers another check
    this.#metrics.set(name, found.status === 'True');
    const next = withAvailability(object, found, server.services.clock.now());
    this.#written.set(name, next);
    if (next !== object) {
      try {
        await server.self.update(`${API_SERVICES_PATH}/${name}/status`, next);
      } catch (error) {
        if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return 'failed';
        throw error;
      }
      const wasAvailable = availabilityOf(object)?.status === 'True';
      if (wasAvailable && found.status !== 'True') this.#metrics.count(name, found.reason);
    }
    if (remote === undefined) return 'done';
    return found.reason === 'FailedDiscoveryCheck' ? 'failed' : { againAfterMs: CHECK_EVERY_MS };
  }
}

/** Kubernetes' metrics of unavailable APIServices. */
class AvailabilityMetrics {
  readonly #isAvailable = new Map<string, boolean>();
  readonly #turnedUnavailable;

  constructor(metrics: MetricRegistry) {
    metrics.callback(
      {
        name: 'aggregator_unavailable_apiservice',
        help: 'Whether an APIService is unavailable, by its name.',
        labels: ['name'],
      },
      () => Array.from(this.#isAvailable, ([name, is]) => ({ labels: { name }, value: is ? 0 : 1 })),
    );
    this.#turnedUnavailable = metrics.counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: 'How often an APIService became unavailable, by its name and the reason.',
      labels: ['name', 'reason'],
    });
  }

  set(name: string, isAvailable: boolean): void {
    this.#isAvailable.set(name, isAvailable);
  }

  count(name: string, reason: string): void {
    this.#turnedUnavailable.with({ name, reason }).add();
  }

  forget(name: string): void {
    this.#isAvailable.delete(name);
  }
}
