import { contains } from '../key-range.ts';
import { keyOf } from '../mvcc/revision-record.ts';
import type { KeyRange, Revision, StoreEvent, WatchBatch } from '../store.ts';
import { toEntry } from './etcd-entry.ts';
import type { KeyNames } from './key-names.ts';
import { EVENT_DELETE, type WatchEvent, type WatchResponse } from './messages/watch.ts';

/**
 * Makes batches of whole revisions from what etcd sends.
 *
 * A large answer comes in fragments, which may cut a revision in two: the last revision of a fragment is held back until
 * the next one. What was delivered before is dropped, and so is what is not in the range.
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

  /** Everything up to this revision is known: delivered, or not there. */
  get seen(): Revision {
    return this.#seen;
  }

  /** The batch that an answer completes; `undefined` when nothing in it concerns the range, or not all of it is there. */
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

  /** Nothing more comes up to here. */
  advance(revision: Revision): void {
    if (revision > this.#seen) this.#seen = revision;
  }

  /** The stream broke: what was held back will be sent again. */
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
