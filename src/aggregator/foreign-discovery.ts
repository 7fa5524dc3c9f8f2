import type { GroupVersion, Priority } from '../api/index.ts';
import type { ForeignApi, ForeignVersion } from '../apiserver/index.ts';
import { Listeners } from '../apiserver/index.ts';
import { type Clock, deepEqual, type Logger, type Random } from '../base/index.ts';
import type { Backends } from './backends.ts';
import { KeyedWork, type WorkResult } from './keyed-work.ts';
import { AGGREGATOR_USER } from './probe.ts';
import { type DiscoveredVersions, groupVersionKey, readAggregated, readResourceList } from './read-discovery.ts';
import {
  apiServiceName,
  groupVersionPath,
  type LocalVersion,
  localVersion,
  MANAGED_LABEL,
  type RemoteService,
} from './registered-service.ts';
import type { RegisteredServices } from './registered-services.ts';

export interface ForeignDiscoveryOptions {
  readonly services: RegisteredServices;
  readonly backends: Backends;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const REFRESH_MS = 60_000;
const TIMEOUT_MS = 5000;
const MAX_BYTES = 4 * 1024 * 1024;
const AGGREGATED_TYPE = /^application\/json\s*;.*\bg=apidiscovery\.k8s\.io\b.*\bas=APIGroupDiscoveryList\b/;
const ACCEPT = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');

/** The last answer of one server. */
interface KnownDocument {
  readonly versions: DiscoveredVersions;
  readonly etag: string;
}

/** Knows what the servers behind APIServices serve, by asking them: when an APIService changes, and every minute. */
export class ForeignDiscovery implements ForeignApi, Disposable {
  readonly #options: ForeignDiscoveryOptions;
  readonly #work: KeyedWork;
  readonly #listeners = new Listeners<readonly string[]>();
  /** Keyed by APIService name. */
  readonly #versions = new Map<string, ForeignVersion>();
  /** The APIServices of this server's own versions, by name. */
  readonly #local = new Map<string, LocalVersion>();
  /** Keyed by service, since one server may be behind many APIServices. */
  readonly #documents = new Map<string, KnownDocument>();
  #subscription: Disposable | undefined;

  constructor(options: ForeignDiscoveryOptions) {
    this.#options = options;
    this.#work = new KeyedWork({
      ...options,
      name: 'discovery',
      backoff: { initialMs: 500, capMs: REFRESH_MS },
      maxAtOnce: 4,
      act: (name, signal) => this.#refresh(name, signal),
    });
  }

  start(): void {
    const { services } = this.#options;
    for (const { metadata } of services.all()) this.#take(metadata.name);
    this.#subscription = services.onChange((name) => this.#take(name));
  }

  groupNames(): Iterable<string> {
    return new Set(Array.from(this.#versions.values(), ({ group }) => group));
  }

  versionsOf(group: string): readonly ForeignVersion[] {
    return [...this.#versions.values()].filter((version) => version.group === group);
  }

  localPriority(version: GroupVersion): Priority | undefined {
    return this.#local.get(apiServiceName(version))?.priority;
  }

  onChange(listener: (groups: readonly string[]) => void): Disposable {
    return this.#listeners.add(listener);
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    this.#work[Symbol.dispose]();
  }

  #take(name: string): void {
    this.#takeLocal(name);
    const remote = this.#options.services.remotes.get(name);
    const known = this.#versions.get(name);
    if (remote === undefined) {
      if (known === undefined) return;
      this.#versions.delete(name);
      this.#dropUnusedDocuments();
      this.#listeners.notify([known.group]);
      return;
    }
    const { group, version, priority } = remote;
    this.#set(name, { ...known, group, version, priority });
    this.#work.resetBackoff(name);
    this.#work.add(name);
  }

  #takeLocal(name: string): void {
    const before = this.#local.get(name);
    const service = this.#options.services.get(name);
    const current = service === undefined ? undefined : localVersion(service);
    if (current === undefined) this.#local.delete(name);
    else this.#local.set(name, current);
    if (deepEqual(before, current)) return;
    const isRegistration = before === undefined && service?.metadata.labels?.[MANAGED_LABEL] !== undefined;
    const group = (current ?? before)?.group ?? '';
    if (!isRegistration) this.#listeners.notify([group]); // the server's own discovery announces that
  }

  #set(name: string, version: ForeignVersion): void {
    if (deepEqual(this.#versions.get(name), version)) return;
    this.#versions.set(name, version);
    this.#listeners.notify([version.group]);
  }

  async #refresh(name: string, signal: AbortSignal): Promise<WorkResult> {
    const remote = this.#options.services.remotes.get(name);
    if (remote === undefined) return 'done';
    const key = groupVersionKey(remote);
    let resources: ForeignVersion['discovered'];
    try {
      const versions = await this.#ask(remote, signal);
      resources = { resources: versions.get(key) ?? [], freshness: 'Current' };
    } catch (error) {
      this.#options.log.debug('discovery of an API service failed', { service: name, error });
      resources = { resources: this.#versions.get(name)?.discovered?.resources ?? [], freshness: 'Stale' };
    }
    const known = this.#versions.get(name);
    if (known !== undefined) this.#set(name, { ...known, discovered: resources });
    return resources.freshness === 'Stale' ? 'failed' : { againAfterMs: REFRESH_MS };
  }

  async #ask(remote: RemoteService, signal: AbortSignal): Promise<DiscoveredVersions> {
    const { backends } = this.#options;
    const known = this.#documents.get(serviceKey(remote));
    const backend = await backends.find(remote);
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, signal };
    const asked = { path: '/apis', accept: ACCEPT, user: AGGREGATOR_USER, ...limits };
    const etag = known === undefined || known.etag === '' ? {} : { etag: known.etag };
    const { status, header, body } = await backends.fetch(backend, { ...asked, ...etag });
    if (status === 304 && known !== undefined) return known.versions;
    if (status === 503) throw new Error(`service ${serviceKey(remote)} returned non-success response code: 503`);
    if (status === 200 && AGGREGATED_TYPE.test(header('content-type'))) {
      const versions = readAggregated(body.toString());
      this.#documents.set(serviceKey(remote), { versions, etag: header('etag') });
      return versions;
    }
    const path = groupVersionPath(remote);
    const legacy = await backends.fetch(backend, { path, user: AGGREGATOR_USER, ...limits });
    if (legacy.status !== 200) throw new Error(`failed to download legacy discovery for ${path}: ${legacy.status}`);
    return new Map([[groupVersionKey(remote), readResourceList(legacy.body.toString())]]);
  }

  #dropUnusedDocuments(): void {
    const used = new Set(Array.from(this.#options.services.remotes.values(), serviceKey));
    for (const key of this.#documents.keys()) if (!used.has(key)) this.#documents.delete(key);
  }
}

function serviceKey({ service }: RemoteService): string {
  return `${service.namespace}/${service.name}:${service.port}`;
}
