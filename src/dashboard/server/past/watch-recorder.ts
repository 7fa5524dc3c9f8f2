import { blankSecret } from '../../../api/client.ts';
import { type Clock, type Logger, messageOf } from '../../../base/index.ts';
import { type Client, InformerFactory, type ServedKind } from '../../../client/index.ts';
import type { KubernetesObject } from '../../protocol.ts';
import { ChangeLog, type ChangeLogLimits } from './change-log.ts';
import { resourceName } from './past-query.ts';

/** Kinds that are watched; a cluster with more shows the first of discovery. */
const MAX_KINDS = 400;
/** Kinds with more objects are left out: the recorder holds what exists, to know what it was. */
const MAX_OBJECTS = 20_000;
/** How often new kinds are looked for. */
const DISCOVER_EVERY_MS = 60_000;
/** Renewed all the time by everything that runs. */
const NOISE = 'leases.coordination.k8s.io';

export interface RecorderOptions extends ChangeLogLimits {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Watched {
  readonly kind: ServedKind;
  readonly objects: Map<string, KubernetesObject>;
}

/**
 * Records the changes of all kinds that the viewer may watch, from the start on. Values of Secrets are removed before anything is kept.
 *
 * Guarantees: what it keeps of changes is limited by the options, and what exists by the number of objects of each kind.
 */
export class WatchRecorder {
  readonly log: ChangeLog;
  readonly #options: RecorderOptions;
  readonly #factory: InformerFactory;
  /** By the resource's name; null for kinds that are left out. */
  readonly #watched = new Map<string, Watched | null>();

  constructor(options: RecorderOptions) {
    const { client, clock, log } = options;
    this.#options = options;
    this.log = new ChangeLog(options, clock);
    this.#factory = new InformerFactory(client, { clock, log });
  }

  /** Watches until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, client, log } = this.#options;
    const watching = this.#factory.run(signal);
    while (!signal.aborted) {
      try {
        const { kinds } = await client.apis.survey({ signal });
        for (const kind of kinds) if (!signal.aborted) await this.#watch(kind, signal);
      } catch (error) {
        if (!signal.aborted)
          log.warn('the dashboard cannot find out which kinds there are', { error: messageOf(error) });
      }
      await clock.sleep(DISCOVER_EVERY_MS, signal);
    }
    await watching;
  }

  /** A kind that is recorded, by its resource's name. */
  kindOf(resource: string): ServedKind | undefined {
    return this.#watched.get(resource)?.kind;
  }

  /** What exists now of a kind, by namespace and name. */
  objectsOf(resource: string): ReadonlyMap<string, KubernetesObject> {
    return this.#watched.get(resource)?.objects ?? new Map();
  }

  async #watch(kind: ServedKind, signal: AbortSignal): Promise<void> {
    const name = resourceName(kind);
    if (this.#watched.has(name) || this.#watched.size >= MAX_KINDS) return;
    if (name === NOISE || !kind.verbs.includes('watch') || !kind.verbs.includes('list')) {
      this.#watched.set(name, null);
      return;
    }
    if (!(await this.#isWatchable(kind, signal))) {
      this.#watched.set(name, null);
      return;
    }
    const objects = new Map<string, KubernetesObject>();
    this.#watched.set(name, { kind, objects });
    const informer = this.#factory.informer(kind, { transform: blankSecret });
    informer.addHandler({
      add: (added, { isInInitialList }) => {
        objects.set(keyOf(added), added);
        if (isInInitialList) this.log.beginAt(revisionOf(added));
        else this.#note(kind, undefined, added);
      },
      update: (updated, old) => {
        objects.set(keyOf(updated), updated);
        this.#note(kind, old, updated);
      },
      delete: (deleted) => {
        objects.delete(keyOf(deleted));
        this.#note(kind, deleted, undefined);
      },
    });
  }

  /** Whether the viewer may list the kind, and it is not too large. */
  async #isWatchable(kind: ServedKind, signal: AbortSignal): Promise<boolean> {
    const { client, log } = this.#options;
    try {
      const list = await client.kindIn(kind, undefined).list({ limit: 1, signal });
      const count = 1 + (list.remainingItemCount ?? 0);
      if (count > MAX_OBJECTS)
        log.warn('the dashboard does not record a kind with too many objects', { kind: kind.plural, count });
      return count <= MAX_OBJECTS;
    } catch (error) {
      log.debug('the dashboard does not record a kind', { kind: kind.plural, error: messageOf(error) });
      return false;
    }
  }

  #note(kind: ServedKind, before: KubernetesObject | undefined, after: KubernetesObject | undefined): void {
    const object = after ?? before;
    if (object === undefined || (after !== undefined && before === after)) return;
    const revision = revisionOf(object) || this.log.newest.revision;
    const bytes = JSON.stringify(object).length;
    this.log.add({
      revision,
      timeMs: this.#options.clock.now(),
      kind,
      bytes,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
  }
}

function revisionOf({ metadata }: KubernetesObject): number {
  const text = metadata?.resourceVersion ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
