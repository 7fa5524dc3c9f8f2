import type { Revision, StoreEvent, WatchBatch } from '../../store/index.ts';
import type { OpenedObjects } from './opened-objects.ts';
import type { StoredObject } from './stored-object.ts';

/** A change before a watch applies its selectors. */
export interface ObjectChange {
  readonly revision: Revision;
  readonly current: StoredObject | undefined;
  readonly previous: StoredObject | undefined;
}

export interface ObjectChanges {
  readonly changes: readonly ObjectChange[];
  readonly revision: Revision;
}

/** Converts the store's events to changes of objects; all watches share the changes, and each object's encoding. */
export class ChangeReader {
  readonly #objects: OpenedObjects;
  readonly #changes = new WeakMap<StoreEvent, ObjectChange>();
  readonly #batches = new WeakMap<WatchBatch, ObjectChanges>();

  constructor(objects: OpenedObjects) {
    this.#objects = objects;
  }

  read(batch: WatchBatch): ObjectChanges | Promise<ObjectChanges> {
    const known = this.#batches.get(batch);
    if (known !== undefined) return known;
    return this.#objects.arePlain ? this.#changesOf(batch) : this.#openAll(batch);
  }

  /** Whether a watch wants the event. */
  isWanted(event: StoreEvent, wants: (change: ObjectChange) => boolean): boolean {
    try {
      return wants(this.#change(event));
    } catch {
      return true; // the reader will get the error
    }
  }

  async #openAll(batch: WatchBatch): Promise<ObjectChanges> {
    for (const event of batch.events) {
      const opening = this.#openChange(event);
      if (opening !== undefined) await opening;
    }
    return this.#changesOf(batch);
  }

  #changesOf(batch: WatchBatch): ObjectChanges {
    const changes = { changes: batch.events.map((event) => this.#change(event)), revision: batch.revision };
    if (this.#objects.arePlain) this.#batches.set(batch, changes);
    return changes;
  }

  /** Decrypts the values of an event, so that `share` finds them decrypted; returns a promise only when it must wait. */
  #openChange(event: StoreEvent): void | Promise<void> {
    const entries = [event.previous, event.type === 'put' ? event.entry : undefined];
    const opening = entries.flatMap((entry) => {
      const opened = entry === undefined ? undefined : this.#objects.open(entry);
      return opened instanceof Promise ? [opened] : [];
    });
    if (opening.length > 0) return Promise.all(opening).then(() => undefined);
  }

  #change(event: StoreEvent): ObjectChange {
    const known = this.#changes.get(event);
    if (known !== undefined) return known;
    const previous = event.previous === undefined ? undefined : this.#objects.share(event.previous);
    const change: ObjectChange =
      event.type === 'put'
        ? { revision: event.entry.modRevision, current: this.#objects.share(event.entry), previous }
        : {
            revision: event.revision,
            current: undefined,
            previous: previous === undefined ? undefined : this.#objects.atRevision(previous, event.revision),
          };
    this.#changes.set(event, change);
    return change;
  }
}
