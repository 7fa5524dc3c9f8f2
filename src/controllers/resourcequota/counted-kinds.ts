import { aborted, type Runnable } from '../../base/index.ts';
import {
  builtIn,
  byNamespace,
  type Handler,
  keepMetadata,
  type Kind,
  type KubernetesObject,
  type Observed,
  SharedInformer,
} from '../../client/index.ts';
import type { AppContext, Subscription } from '../../kit/index.ts';

/** The objects of one kind, as they are at hand. */
interface CountedKind extends Subscription {
  /** False while somebody waits for the first list. */
  isKnown: boolean;
  list(namespace: string): Iterable<Observed<KubernetesObject>>;
  /** Changes that the handler is still to be told of, if the app does not know. */
  readonly pending?: number;
}

/**
 * The objects of the kinds that quotas count, from when the first quota counts them until none does.
 *
 * Built-in kinds share the app's caches. Of other kinds nothing but metadata is kept, which is enough to count them.
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

  /** Whether every handler has been told all that is known. */
  get isIdle(): boolean {
    return [...this.#kinds.values()].every(({ pending = 0 }) => pending === 0);
  }

  /** All objects of a kind in a namespace, once they are known. */
  async list(kind: Kind, namespace: string, signal: AbortSignal): Promise<Iterable<Observed<KubernetesObject>>> {
    const name = nameOf(kind);
    let counted = this.#kinds.get(name);
    if (counted === undefined) this.#kinds.set(name, (counted = this.#open(kind)));
    await counted.synced(signal);
    counted.isKnown = true;
    return counted.list(namespace);
  }

  /** Lets go of all kinds but these, by `group/plural`. */
  keep(names: ReadonlySet<string>): void {
    for (const [name, counted] of this.#kinds) {
      if (names.has(name) || !counted.isKnown) continue;
      this.#kinds.delete(name);
      counted[Symbol.dispose]();
    }
  }

  /** Resolves when told to stop, and all is closed. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    for (const counted of this.#kinds.values()) counted[Symbol.dispose]();
    this.#kinds.clear();
    await Promise.all(this.#running);
  }

  #open(kind: Kind): CountedKind {
    const handler = this.#handlerFor(kind);
    return builtInKinds.has(nameOf(kind)) ? this.#openBuiltIn(kind, handler) : this.#openOther(kind, handler);
  }

  #openBuiltIn(kind: Kind, handler: Handler<KubernetesObject>): CountedKind {
    const objects = this.#context.objects(kind);
    const subscription = this.#context.onChange(kind, handler);
    return {
      isKnown: false,
      list: (namespace) => objects.list({ namespace }),
      synced: (signal) => subscription.synced(signal),
      [Symbol.dispose]: () => subscription[Symbol.dispose](),
    };
  }

  #openOther(kind: Kind, handler: Handler<KubernetesObject>): CountedKind {
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
      isKnown: false,
      list: (namespace) => informer.cache.byIndex(byNamespace, namespace),
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
