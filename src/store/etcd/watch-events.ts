import { contains } from '../key-range.ts';
import { keyOf } from '../mvcc/revision-record.ts';
import type { KeyRange, Revision, StoreEvent, WatchBatch } from '../store.ts';
import { toEntry } from './etcd-entry.ts';
import type { KeyNames } from './key-names.ts';
import { EVENT_DELETE, type WatchEvent, type WatchResponse } from './messages/watch.ts';

/**
 * Groups the events etcd sends into batches of whole revisions.
 *
 * A large answer comes in fragments, which may split a revision: the last revision of a fragment is held back until the
 * next one. Events that were delivered before, or are outside of the range, are dropped.
 *
 * Example: fragment [5, 6, 6] gives revision 5; then the rest [6, 7] gives 6 with three events, and 7.
 */
export class WatchEvents {
  readonly #range: KeyRange;
  readonly #names: KeyNames;
  #held: StoreEvent[] = [];
  #heldRevision: Revision = 0;
  #seen: Revision;

  constructor(range: KeyRange, options: { readonly from: Revision; readonly names: KeyNames }) {
    this.#range = range;
    this.#names = options.names;
    this.#seen = options.from - 1;
  }

  /** Every event up to this revision has been delivered. */
  get seen(): Revision {
    return this.#seen;
  }

  /**
   * The batch that an answer completes; `undefined` when it has no events of the range, or is a fragment that completes
   * no revision.
   */
  take(response: WatchResponse): WatchBatch | undefined {
    const events = this.#held;
    this.#held = [];
    let revision = this.#heldRevision;
    let lastRevisionAt = 0;
    for (const event of response.events ?? []) {
      const modRevision = event.kv?.modRevision ?? 0;
      if (modRevision <= this.#seen) continue;
      if (modRevision !== revision) lastRevisionAt = events.length;
      revision = modRevision;
      if (!this.#names.has(event.kv?.key ?? '')) continue;
      const stored = toStoreEvent(event, this.#names);
      if (contains(this.#range, keyOf(stored))) events.push(stored);
    }
    if (response.fragment === true) {
      this.#held = events.splice(lastRevisionAt);
      this.#heldRevision = revision;
      revision -= 1;
    } else this.#heldRevision = 0;
    if (revision > this.#seen) this.#seen = revision;
    return events.length === 0 ? undefined : { events, revision: this.#seen };
  }

  /** Records that no more events come up to this revision. */
  advance(revision: Revision): void {
    if (revision > this.#seen) this.#seen = revision;
  }

  /** Call when the stream broke: events held back will be sent again. */
  restart(): void {
    this.#held = [];
    this.#heldRevision = 0;
  }
}

function toStoreEvent(event: WatchEvent, names: KeyNames): StoreEvent {
  const previous = event.prevKv === undefined ? undefined : toEntry(event.prevKv, names);
  const kv = event.kv ?? {};
  if (event.type !== EVENT_DELETE) return { type: 'put', entry: toEntry(kv, names), previous };
  return { type: 'delete', key: names.fromEtcd(kv.key ?? ''), revision: kv.modRevision ?? 0, previous };
}
