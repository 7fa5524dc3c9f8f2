import { aborted, type Runnable } from '../../base/index.ts';
import {
  builtIn,
  type Handler,
  keepMetadata,
  type Kind,
  type KubernetesObject,
  type Observed,
  SharedInformer,
} from '../../client/index.ts';
import type { AppContext, Subscription } from '../../kit/index.ts';

/**
 * The objects of one kind as the handler has received them: in step with the delivered events, unlike the informer's
 * cache, which may be ahead.
 */
export class CountedObjects {
  readonly #byNamespace = new Map<string, Map<string, Observed<KubernetesObject>>>();

  in(namespace: string): Iterable<Observed<KubernetesObject>> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  set(object: Observed<KubernetesObject>): void {
    const { namespace = '', name } = object.metadata;
    const objects = this.#byNamespace.get(namespace) ?? new Map<string, Observed<KubernetesObject>>();
    this.#byNamespace.set(namespace, objects.set(name, object));
  }

  delete({ metadata: { namespace = '', name } }: Observed<KubernetesObject>): void {
    const objects = this.#byNamespace.get(namespace);
    objects?.delete(name);
    if (objects?.size === 0) this.#byNamespace.delete(namespace);
  }
}

interface CountedKind extends Subscription {
  /** False until the first list has arrived. */
  isKnown: boolean;
  readonly objects: CountedObjects;
  /** Events that the handler has not received yet, if the app does not track them. */
  readonly pending?: number;
}

/**
 * The objects of the kinds that quotas count, watched while at least one quota counts them.
 *
 * Built-in kinds share the app's caches. Of other kinds only metadata is kept, which is enough for counting.
 */
export class CountedKinds implements Runnable {
  readonly #context: AppContext;
  readonly #handlerFor: (kind: Kind) => Handler<KubernetesObject>;
  readonly #kinds = new Map<string, CountedKind>();
  readonly #running = new Set<Promise<void>>();

  constructor(context: AppContext, handlerFor: (kind: Kind) => Handler<KubernetesObject>) {
    this.#context = context;
    this.#handlerFor = handlerFor;
  }

  /** True when every handler has received all events so far. */
  get isIdle(): boolean {
    return [...this.#kinds.values()].every(({ pending = 0 }) => pending === 0);
  }

  /** All objects of a kind; resolves after the first list. */
  async open(kind: Kind, signal: AbortSignal): Promise<CountedObjects> {
    const name = nameOf(kind);
    let counted = this.#kinds.get(name);
    if (counted === undefined) this.#kinds.set(name, (counted = this.#open(kind)));
    await counted.synced(signal);
    counted.isKnown = true;
    return counted.objects;
  }

  /** Stops watching all kinds but these, given as `group/plural`. */
  keep(names: ReadonlySet<string>): void {
    for (const [name, counted] of this.#kinds) {
      if (names.has(name) || !counted.isKnown) continue;
      this.#kinds.delete(name);
      counted[Symbol.dispose]();
    }
  }

  /** Resolves after the signal aborts and all watches are closed. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    for (const counted of this.#kinds.values()) counted[Symbol.dispose]();
    this.#kinds.clear();
    await Promise.all(this.#running);
  }

  #open(kind: Kind): CountedKind {
    const { update, delete: remove } = this.#handlerFor(kind);
    const objects = new CountedObjects();
    const handler: Handler<KubernetesObject> = {
      add: (object) => objects.set(object),
      update: (object, old) => {
        objects.set(object);
        return update?.(object, old);
      },
      delete: (object, context) => {
        objects.delete(object);
        return remove?.(object, context);
      },
    };
    const counted = { isKnown: false, objects };
    return builtInKinds.has(nameOf(kind))
      ? { ...counted, ...this.#openBuiltIn(kind, handler) }
      : Object.assign(this.#openOther(kind, handler), counted);
  }

  #openBuiltIn(kind: Kind, handler: Handler<KubernetesObject>): Subscription {
    const subscription = this.#context.onChange(kind, handler);
    return {
      synced: (signal) => subscription.synced(signal),
      [Symbol.dispose]: () => subscription[Symbol.dispose](),
    };
  }

  #openOther(kind: Kind, handler: Handler<KubernetesObject>): Subscription & { readonly pending: number } {
    const { client, clock, random, log } = this.#context;
    const { isLocal } = client;
    const source = client.kindIn(kind, undefined).metadata();
    const informer = new SharedInformer(source, {
      clock,
      random,
      log,
      isLocal,
      name: nameOf(kind),
      transform: keepMetadata,
    });
    const registration = informer.addHandler(handler, { name: 'resource quota' });
    const stop = new AbortController();
    const running = informer.run(stop.signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return {
      get pending() {
        return registration.pending;
      },
      synced: (signal) => registration.synced(signal),
      [Symbol.dispose]: () => {
        registration[Symbol.dispose]();
        stop.abort();
      },
    };
  }
}

function nameOf({ group, plural }: Pick<Kind, 'group' | 'plural'>): string {
  return `${group}/${plural}`;
}

const builtInKinds: ReadonlySet<string> = new Set(
  Object.values(builtIn)
    .flatMap((versions) => Object.values(versions))
    .flatMap((kinds) => Object.values(kinds) as Kind[])
    .map(nameOf),
);
