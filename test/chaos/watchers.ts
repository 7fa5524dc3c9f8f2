import type { Clock } from '../../src/base/index.ts';
import { type Client, hasReason } from '../../src/client/index.ts';
import { type Store, prefixRange } from '../../src/store/index.ts';
import { NAMESPACE } from './clients.ts';
import type { SeenEvent, WatchStretch } from './watch-history.ts';

const PREFIX = `/registry/configmaps/${NAMESPACE}/`;
const WATCH_SECONDS = 20;
const RETRY_MS = 300;

/** What etcd itself says that happened. */
export class Reference {
  readonly events: SeenEvent[] = [];
  revision: number;

  constructor(from: number) {
    this.revision = from;
  }

  async run(store: Store, signal: AbortSignal): Promise<void> {
    for await (const batch of store.watch(prefixRange(PREFIX), { from: this.revision + 1, signal })) {
      for (const event of batch.events) {
        const key = event.type === 'put' ? event.entry.key : event.key;
        const revision = event.type === 'put' ? event.entry.modRevision : event.revision;
        const type = event.type === 'delete' ? 'DELETED' : event.previous === undefined ? 'ADDED' : 'MODIFIED';
        this.events.push({ type, name: key.slice(PREFIX.length), revision });
      }
      this.revision = batch.revision;
    }
  }
}

/** A client that watches, and after each break resumes where it was, or lists again when that is too old. */
export class Watcher {
  readonly name: string;
  readonly stretches: WatchStretch[] = [];
  breaks = 0;
  /** How often the server had forgotten where the watch was. */
  expired = 0;

  constructor(name: string, from: number) {
    this.name = name;
    this.#begin(from);
  }

  get revision(): number {
    return this.#stretch.upTo;
  }

  async run(client: Client, { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(client, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.breaks += 1;
        if (hasReason(error, 'Expired') || hasReason(error, 'Gone')) await this.#listAnew(client, signal);
      }
      await clock.sleep(RETRY_MS, signal);
    }
  }

  async #follow(client: Client, signal: AbortSignal): Promise<void> {
    const stretch = this.#stretch;
    const options = { resourceVersion: String(stretch.upTo), allowWatchBookmarks: true, timeoutSeconds: WATCH_SECONDS };
    for await (const event of client.core.v1.configmaps.namespace(NAMESPACE).watch({ ...options, signal })) {
      if (event.type === 'BOOKMARK') {
        stretch.upTo = Math.max(stretch.upTo, Number(event.resourceVersion));
        continue;
      }
      const { name, resourceVersion } = event.object.metadata;
      const revision = Number(resourceVersion);
      stretch.events.push({ type: event.type, name, revision });
      stretch.upTo = Math.max(stretch.upTo, revision);
    }
  }

  async #listAnew(client: Client, signal: AbortSignal): Promise<void> {
    try {
      const { resourceVersion } = await client.core.v1.configmaps.namespace(NAMESPACE).list({ limit: 1, signal });
      this.expired += 1;
      this.#begin(Number(resourceVersion));
    } catch {
      // the next try finds that it is too old again
    }
  }

  get #stretch(): WatchStretch {
    const last = this.stretches.at(-1);
    if (last === undefined) throw new Error('Unreachable: a watcher begins with a stretch');
    return last;
  }

  #begin(from: number): void {
    this.stretches.push({ from, upTo: from, events: [] });
  }
}
