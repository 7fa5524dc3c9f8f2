import { customPriority, hasReason, type Priority } from '../api/index.ts';
import type { ApiServer, Resource } from '../apiserver/index.ts';
import type { Logger, Random } from '../base/index.ts';
import { deepEqual } from '../base/index.ts';
import { KeyedWork, type WorkResult } from './keyed-work.ts';
import {
  API_SERVICES,
  API_SERVICES_PATH,
  apiServiceName,
  MANAGED_LABEL,
  type StoredApiService,
} from './registered-service.ts';
import type { RegisteredServices } from './registered-services.ts';

/** Built-in versions are registered when the server starts, and then left to administrators. */
const ON_START = 'onstart';
/** Versions of custom kinds are kept as long as they are served. */
const ALWAYS = 'true';

interface Registration {
  readonly metadata: { readonly name: string; readonly labels?: { readonly [MANAGED_LABEL]: string } };
  readonly spec: StoredApiService['spec'];
}

export interface LocalRegistrationsOptions {
  readonly server: ApiServer;
  readonly services: RegisteredServices;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Keeps an APIService for every group and version that this server answers itself. */
export class LocalRegistrations implements Disposable {
  readonly #options: LocalRegistrationsOptions;
  readonly #wanted = new Map<string, Registration>();
  /** Names that were synced once since the start, which is all that happens for `ON_START`. */
  readonly #synced = new Set<string>();
  #atStart: ReadonlySet<string> = new Set();
  readonly #work: KeyedWork;
  readonly #subscriptions: Disposable[] = [];

  constructor(options: LocalRegistrationsOptions) {
    const { server, random, log, signal } = options;
    this.#options = options;
    this.#work = new KeyedWork({
      clock: server.services.clock,
      random,
      log,
      signal,
      name: 'registration',
      backoff: { initialMs: 5, capMs: 1000_000 },
      maxAtOnce: 5,
      act: (name) => this.#sync(name),
    });
  }

  /**
   * Registers everything that is served, and follows changes from then on; resolves when all of it is registered.
   *
   * Assumes: custom kinds are served by now. Registrations of an earlier start without a served version are removed.
   */
  async start(): Promise<void> {
    const { server, services } = this.#options;
    this.#atStart = new Set(Array.from(services.all(), ({ metadata }) => metadata.name));
    for (const group of server.registry.groupNames()) this.#wantGroup(group);
    this.#subscriptions.push(
      server.registry.onChange((changed) => {
        for (const { group } of changed) this.#wantGroup(group);
        for (const version of changed) this.#work.add(apiServiceName(version));
      }),
    );
    const names = new Set([...this.#wanted.keys(), ...this.#atStart]);
    await Promise.all([...names].map((name) => this.#sync(name)));
    this.#subscriptions.push(services.onChange((name) => this.#work.add(name)));
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    this.#work[Symbol.dispose]();
  }

  #wantGroup(group: string): void {
    if (group === API_SERVICES.group) return; // the group of APIServices itself is always there
    const resources = this.#options.server.registry.resourcesOf(group);
    const versions = new Set(resources.map(({ version }) => version));
    for (const [name, { spec }] of this.#wanted) {
      if ((spec.group ?? '') === group && !versions.has(spec.version ?? '')) this.#wanted.delete(name);
    }
    for (const version of versions) {
      const members = resources.filter((resource) => resource.version === version);
      const registration = registrationOf(group, version, members);
      this.#wanted.set(registration.metadata.name, registration);
    }
  }

  async #sync(name: string): Promise<WorkResult> {
    try {
      await this.#bringInOrder(name);
      this.#synced.add(name);
      return 'done';
    } catch (error) {
      if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return 'done'; // an event for its next version follows
      throw error;
    }
  }

  async #bringInOrder(name: string): Promise<void> {
    const { server, services } = this.#options;
    const wanted = this.#wanted.get(name);
    const current = services.get(name);
    const isSynced = this.#synced.has(name);
    if (wanted !== undefined && managedHow(wanted) !== ALWAYS && isSynced) return;
    if (current === undefined) {
      if (wanted !== undefined) await server.self.create(API_SERVICES_PATH, wanted);
      return;
    }
    const how = managedHow(current);
    if (how === undefined || (how === ON_START && (isSynced || !this.#atStart.has(name)))) return;
    if (wanted === undefined) await server.self.delete(`${API_SERVICES_PATH}/${name}`);
    else if (!deepEqual(current.spec, wanted.spec))
      await server.self.update(`${API_SERVICES_PATH}/${name}`, { ...current, spec: wanted.spec });
  }
}

function registrationOf(group: string, version: string, resources: readonly Resource[]): Registration {
  const builtIn = resources.find(({ priority }) => priority !== undefined)?.priority;
  const priority: Priority = builtIn ?? customPriority;
  const isReplaceable = resources.some((resource) => resource.isReplaceable === true);
  return {
    metadata: {
      name: apiServiceName({ group, version }),
      // Replaceable ones have no label: the server never corrects them, not even at the next start.
      ...(isReplaceable ? {} : { labels: { [MANAGED_LABEL]: builtIn === undefined ? ALWAYS : ON_START } }),
    },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}

type Labelled = { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };

function managedHow({ metadata }: Labelled): string | undefined {
  const how = metadata.labels?.[MANAGED_LABEL];
  return how === ON_START || how === ALWAYS ? how : undefined;
}
