import { type Runnable, TaskGroup } from '../../base/index.ts';
import type { Client } from '../client.ts';
import type { Kind, KubernetesObject } from '../kind.ts';
import type { LabelQuery } from '../resource/options.ts';
import type { ResourceClient } from '../resource/resource-client.ts';
import { type ListWatcher, selected } from './list-watcher.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { SharedInformer } from './shared-informer.ts';
import { keepMetadata, type Transform } from './transform.ts';

/** The objects that an informer watches; default all of the kind. */
export interface ObjectSelection {
  readonly namespace?: string;
  readonly labelSelector?: LabelQuery;
  readonly fieldSelector?: string;
}

/** Which objects an informer watches, and what it keeps of them. */
export interface InformerOptions<T extends KubernetesObject> extends ObjectSelection {
  /**
   * Changes objects before they are cached; by default it drops `managedFields`. All users of a shared informer share
   * it.
   */
  readonly transform?: Transform<T>;
}

export interface InformerFactoryOptions extends Partial<Omit<ReflectorOptions, 'name'>> {}

interface Entry {
  readonly informer: SharedInformer<KubernetesObject>;
  readonly transform: unknown;
}

/**
 * Shares informers: requests for the same kind, namespace and selectors get the same informer, with one watch and one
 * copy of the objects.
 *
 * `run` runs them all; informers requested later start at once.
 */
export class InformerFactory implements Runnable {
  readonly #client: Client;
  readonly #options: InformerFactoryOptions;
  readonly #entries = new Map<string, Entry>();
  #running: TaskGroup | undefined;

  constructor(client: Client, options: InformerFactoryOptions = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** The informer for a kind. */
  informer<T extends KubernetesObject>(kind: Kind<T>, options: InformerOptions<T> = {}): SharedInformer<T> {
    const { namespace, transform } = options;
    const resource = this.#client.kindIn(kind, namespace);
    return this.#shared('', resource, { ...options, transform });
  }

  /** The informer for a kind that caches only the metadata of its objects, in a fraction of the memory. */
  metadataInformer(kind: Kind, scope: ObjectSelection = {}): SharedInformer<KubernetesObject> {
    const resource = this.#client.kindIn(kind, scope.namespace).metadata();
    return this.#shared('metadata of ', resource, { ...scope, transform: keepMetadata });
  }

  /** All informers requested so far. */
  get informers(): readonly SharedInformer<KubernetesObject>[] {
    return [...this.#entries.values()].map(({ informer }) => informer);
  }

  /** Resolves when all informers requested so far have synced. */
  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.informers.map((informer) => informer.synced(signal)));
  }

  /** Runs all informers until the signal aborts. Can be called once. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new Error('Cannot run an informer factory twice');
    this.#running = new TaskGroup(signal);
    for (const informer of this.informers) this.#running.start(informer);
    await this.#running.over();
  }

  #shared<T extends KubernetesObject>(
    prefix: string,
    resource: ResourceClient<T>,
    options: InformerOptions<T>,
  ): SharedInformer<T> {
    const { namespace, labelSelector, fieldSelector, transform } = options;
    const { apiVersion, plural } = resource.kind;
    const name = `${prefix}${apiVersion} ${plural}`;
    const identity = JSON.stringify([name, namespace, labelSelector, fieldSelector]);
    const known = this.#entries.get(identity);
    if (known !== undefined) {
      if (transform !== undefined && transform !== known.transform) {
        throw new Error(`Cannot share the informer for ${name}: it has another transform`);
      }
      return known.informer as unknown as SharedInformer<T>;
    }
    const source: ListWatcher<T> =
      this.#client.sourceOf?.(resource.kind) ?? selected(resource, { labelSelector, fieldSelector });
    const { clock, random, log, isLocal } = this.#client;
    const informer = new SharedInformer<T>(source, { clock, random, log, isLocal, ...this.#options, name, transform });
    const entry = { informer: informer as unknown as SharedInformer<KubernetesObject>, transform };
    this.#entries.set(identity, entry);
    this.#running?.start(entry.informer);
    return informer;
  }
}
