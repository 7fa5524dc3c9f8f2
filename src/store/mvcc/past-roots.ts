import type { SortedMap, SortedMapEditor } from '../../base/index.ts';
import type { Entry, Revision } from '../store.ts';
import type { History } from './history.ts';
import { keyOf, type RevisionRecord } from './revision-record.ts';

/** The whole store as it was at some revision. */
interface Root {
  readonly revision: Revision;
  readonly entries: SortedMap<Entry>;
}

/** A read at an old revision replays at most half as many records as this. */
const MILESTONE_EVERY = 4096;
/** Roots computed for readers, kept because the next page of a list reads at the same revision. */
const MAX_RECENT = 8;

/**
 * Finds the store as it was at any revision of the history, by replaying records onto the nearest known root, forwards
 * or backwards.
 *
 * Example: milestones at 4096 and 8192, now 9000. A read at 8000 takes 8192 and undoes 8192, 8191, … 8001.
 */
export class PastRoots {
  #milestones: Root[] = [];
  /** Least recently used first. */
  #recent: Root[] = [];

  /** Call after each revision, with the tree at that revision. */
  note(revision: Revision, current: SortedMapEditor<Entry>): void {
    if (revision % MILESTONE_EVERY === 0) this.#milestones.push({ revision, entries: current.snapshot() });
  }

  /** Assumes that the history has every revision between `revision` (exclusive) and now. */
  at(revision: Revision, now: Root, history: History): SortedMap<Entry> {
    const known = this.#recent.findIndex((root) => root.revision === revision);
    const root = known < 0 ? replay(this.#nearest(revision, now), revision, history) : (this.#recent[known] as Root);
    if (known >= 0) this.#recent.splice(known, 1);
    this.#recent.push(root);
    if (this.#recent.length > MAX_RECENT) this.#recent.shift();
    return root.entries;
  }

  dropBefore(revision: Revision): void {
    if ((this.#milestones[0]?.revision ?? revision) < revision) {
      this.#milestones = this.#milestones.filter((root) => root.revision >= revision);
    }
    if (this.#recent.length > 0) this.#recent = this.#recent.filter((root) => root.revision >= revision);
  }

  fork(): PastRoots {
    const copy = new PastRoots();
    copy.#milestones = this.#milestones.slice();
    return copy;
  }

  #nearest(revision: Revision, now: Root): Root {
    let nearest = now;
    for (const root of [...this.#milestones, ...this.#recent]) {
      if (Math.abs(root.revision - revision) < Math.abs(nearest.revision - revision)) nearest = root;
    }
    return nearest;
  }
}

function replay(from: Root, revision: Revision, history: History): Root {
  const entries = from.entries.editable();
  for (let next = from.revision + 1; next <= revision; next++) redo(entries, history.at(next));
  for (let next = from.revision; next > revision; next--) undo(entries, history.at(next));
  return { revision, entries: entries.snapshot() };
}

export function redo(entries: SortedMapEditor<Entry>, record: RevisionRecord): void {
  for (const event of record.events) {
    if (event.type === 'put') entries.set(event.entry.key, event.entry);
    else entries.delete(event.key);
  }
}

function undo(entries: SortedMapEditor<Entry>, record: RevisionRecord): void {
  for (const event of record.events) {
    if (event.previous === undefined) entries.delete(keyOf(event));
    else entries.set(event.previous.key, event.previous);
  }
}
