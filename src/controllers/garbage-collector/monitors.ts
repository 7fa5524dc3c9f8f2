import { aborted, type Runnable } from '../../base/index.ts';
import {
  builtIn,
  type Handler,
  keepMetadata,
  type Kind,
  type KubernetesObject,
  SharedInformer,
} from '../../client/index.ts';
import type { AppContext, Subscription } from '../../kit/index.ts';

/** A watch on one kind. */
interface Monitor extends Subscription {
  /** Events that the handler has not received yet, if the app does not track them. */
  readonly pending?: number;
}

/**
 * Metadata watches on a changing set of kinds.
 *
 * Built-in kinds stay, and share the app's informers. Other kinds come and go, and get informers that can be stopped.
 */
export class Monitors implements Runnable {
  readonly #context: AppContext;
  readonly #handlerFor: (kind: Kind) => Handler<KubernetesObject>;
  readonly #monitors = new Map<string, Monitor>();
  readonly #running = new Set<Promise<void>>();

  constructor(context: AppContext, handlerFor: (kind: Kind) => Handler<KubernetesObject>) {
    this.#context = context;
    this.#handlerFor = handlerFor;
  }

  /** True when every handler has received all events so far. */
  get isIdle(): boolean {
    return [...this.#monitors.values()].every(({ pending = 0 }) => pending === 0);
  }

  /** Watches exactly these kinds. */
  watch(kinds: readonly Kind[]): void {
    const wanted = new Map(kinds.map((kind) => [`${kind.apiVersion}/${kind.plural}`, kind]));
    for (const [name, monitor] of this.#monitors) {
      if (wanted.has(name)) continue;
      this.#monitors.delete(name);
      monitor[Symbol.dispose]();
    }
    for (const [name, kind] of wanted) {
      if (!this.#monitors.has(name)) this.#monitors.set(name, this.#open(name, kind));
    }
  }

  /** Resolves when the handlers have received all existing objects of the watched kinds. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#monitors.values()].map((monitor) => monitor.synced(signal)));
  }

  /** Resolves after the signal aborts and all watches are closed. */
  async run(signal: AbortSignal): Promise<void> {
    await aborted(signal);
    for (const monitor of this.#monitors.values()) monitor[Symbol.dispose]();
    this.#monitors.clear();
    await Promise.all(this.#running);
  }

  #open(name: string, kind: Kind): Monitor {
    const handler = this.#handlerFor(kind);
    if (builtInResources.has(`${kind.group}/${kind.plural}`)) return this.#context.onChange(kind, handler);
    const { client, clock, random, log } = this.#context;
    const { isLocal } = client;
    const source = client.kindIn(kind, undefined).metadata();
    const informer = new SharedInformer(source, { clock, random, log, isLocal, name, transform: keepMetadata });
    const registration = informer.addHandler(handler, { name: 'garbage collector' });
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

const builtInResources: ReadonlySet<string> = new Set(
  Object.values(builtIn)
    .flatMap((versions) => Object.values(versions))
    .flatMap((kinds) => Object.values(kinds) as Kind[])
    .map(({ group, plural }) => `${group}/${plural}`),
);
