import { aborted } from '../../base/index.ts';
import {
  builtIn,
  type Handler,
  type HandlerRegistration,
  keepMetadata,
  type Kind,
  type KubernetesObject,
  SharedInformer,
} from '../../client/index.ts';
import type { AppContext } from '../../kit/index.ts';

/** A watch on one kind. */
interface Monitor {
  readonly registration: HandlerRegistration<KubernetesObject>;
  /** Of an informer of our own. */
  readonly stop: AbortController | undefined;
}

export interface MonitorsOptions {
  readonly handlerFor: (kind: Kind) => Handler<KubernetesObject>;
  readonly signal: AbortSignal;
}

/**
 * Watches on the metadata of all objects of some kinds, which may become more or fewer.
 *
 * Built-in kinds stay, and share the app's informers. Other kinds come and go, and get informers that can be stopped.
 */
export class Monitors {
  readonly #context: AppContext;
  readonly #options: MonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();
  readonly #running = new Set<Promise<void>>();

  constructor(context: AppContext, options: MonitorsOptions) {
    this.#context = context;
    this.#options = options;
  }

  get size(): number {
    return this.#monitors.size;
  }

  /** Whether every handler has been told all that was heard. */
  get isIdle(): boolean {
    return [...this.#monitors.values()].every(({ registration }) => registration.pending === 0);
  }

  /** Watches these kinds, and no others. */
  watch(kinds: readonly Kind[]): void {
    const wanted = new Map(kinds.map((kind) => [`${kind.apiVersion}/${kind.plural}`, kind]));
    for (const [name, monitor] of this.#monitors) {
      if (wanted.has(name)) continue;
      this.#monitors.delete(name);
      close(monitor);
    }
    for (const [name, kind] of wanted) {
      if (!this.#monitors.has(name)) this.#monitors.set(name, this.#open(name, kind));
    }
  }

  /** Resolves when the handlers know all objects of all kinds that are watched so far. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(({ registration }) => registration.synced(signal)));
  }

  /** Resolves when told to stop, and all is closed. */
  async run(): Promise<void> {
    await aborted(this.#options.signal);
    for (const monitor of this.#monitors.values()) close(monitor);
    this.#monitors.clear();
    await Promise.all(this.#running);
  }

  #open(name: string, kind: Kind): Monitor {
    const options = { name: 'garbage collector' };
    const handler = this.#options.handlerFor(kind);
    if (builtInResources.has(`${kind.group}/${kind.plural}`)) {
      const informer = this.#context.metadata?.(kind) ?? this.#context.informer(kind);
      return { registration: informer.addHandler(handler, options), stop: undefined };
    }
    const { client, clock, random, log } = this.#context;
    const source = client.kindIn(kind, undefined).metadata();
    const informer = new SharedInformer(source, { clock, random, log, name, transform: keepMetadata });
    const registration = informer.addHandler(handler, options);
    const stop = new AbortController();
    const running = informer.run(stop.signal).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return { registration, stop };
  }
}

const builtInResources: ReadonlySet<string> = new Set(
  Object.values(builtIn)
    .flatMap((versions) => Object.values(versions))
    .flatMap((kinds) => Object.values(kinds) as Kind[])
    .map(({ group, plural }) => `${group}/${plural}`),
);

function close({ registration, stop }: Monitor): void {
  registration[Symbol.dispose]();
  stop?.abort();
}
