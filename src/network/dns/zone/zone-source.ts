import { type Clock, type Logger, type Random, type Runnable, runTogether } from '../../../base/index.ts';
import {
  type Client,
  EndpointSlice,
  mapObjects,
  Namespace,
  Reflector,
  type ReflectorHealth,
  Service,
} from '../../../client/index.ts';
import { ClusterRecords } from './cluster-records.ts';
import { leanNamespace, leanService, leanSlice } from './lean-objects.ts';
import { RecordFeed } from './record-feed.ts';

export interface ZoneSourceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * The records of a cluster, kept up to date by watches of its namespaces, services and endpoint slices.
 *
 * While the API server is away the records stay as they were.
 */
export class ZoneSource implements Runnable {
  readonly records = new ClusterRecords();
  readonly #feeds: readonly { readonly isSynced: boolean; readonly isIdle: boolean }[];
  readonly #reflectors: readonly (Runnable & { readonly health: ReflectorHealth })[];
  readonly #clock: Clock;
  #changedAtMs: number;

  constructor(client: Client, options: ZoneSourceOptions) {
    this.#clock = options.clock;
    this.#changedAtMs = options.clock.now();
    const { records } = this;
    const onChange = (): void => {
      this.#changedAtMs = this.#clock.now();
    };
    const namespaces = new RecordFeed(records.namespaceTarget(), onChange);
    const services = new RecordFeed(records.serviceTarget(), onChange);
    const slices = new RecordFeed(records.sliceTarget(), onChange);
    const watch = { ...options, isLocal: client.isLocal };
    this.#feeds = [namespaces, services, slices];
    this.#reflectors = [
      new Reflector(mapObjects(client.kind(Namespace), leanNamespace), namespaces, { ...watch, name: 'v1 namespaces' }),
      new Reflector(mapObjects(client.kind(Service), leanService), services, { ...watch, name: 'v1 services' }),
      new Reflector(mapObjects(client.kind(EndpointSlice), leanSlice), slices, {
        ...watch,
        name: 'discovery.k8s.io/v1 endpointslices',
      }),
    ];
  }

  /** Whether the first lists of all kinds are in the records: until then the zone cannot say that a name does not exist. */
  get isSynced(): boolean {
    return this.#feeds.every((feed) => feed.isSynced);
  }

  /** Whether all that has arrived is in the records. */
  get isIdle(): boolean {
    return this.#feeds.every((feed) => feed.isIdle);
  }

  /** When the records last changed, in whole seconds: the zone's serial number. */
  get serial(): number {
    return Math.floor(this.#changedAtMs / 1000);
  }

  get health(): readonly ReflectorHealth[] {
    return this.#reflectors.map(({ health }) => health);
  }

  run(signal: AbortSignal): Promise<void> {
    return runTogether(this.#reflectors, signal);
  }
}
