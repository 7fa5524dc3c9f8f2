import type { Revision } from '../../store/index.ts';
import type { WatchEvent } from '../answers/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import { convertForReading } from '../storage/conversion.ts';
import type { ObjectChange, ObjectChanges } from '../storage/object-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Selection } from './selection.ts';

export interface WatchEventMapperOptions {
  readonly selected: Selection;
  /** The client already has the changes up to this one. */
  readonly resourceVersion: Revision;
  readonly wantsBookmarks: boolean;
  readonly signal: AbortSignal;
}

/** Converts changes to the events of one watch, and tracks up to which revision the client is informed. */
export class WatchEventMapper {
  readonly #endpoint: Endpoint;
  readonly #options: WatchEventMapperOptions;
  #seen: Revision;
  #bookmarked: Revision;
  isBookmarkDue = false;

  constructor(endpoint: Endpoint, options: WatchEventMapperOptions, from: Revision) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#seen = from - 1;
    this.#bookmarked = this.#seen;
  }

  eventsOf(batch: ObjectChanges): readonly WatchEvent[] | Promise<readonly WatchEvent[]> {
    const { resource } = this.#endpoint;
    if (resource.storage.convert === undefined) return this.#events(batch);
    return this.#converted(batch);
  }

  /** Whether the watch selects a part of the objects, such as a node's: then changes of other objects should not wake it up. */
  get isSelective(): boolean {
    return !this.#options.selected.isAll && this.#endpoint.resource.storage.convert === undefined;
  }

  isAbout({ current, previous }: ObjectChange): boolean {
    const { selected } = this.#options;
    return (
      (current !== undefined && selected.matches(current)) || (previous !== undefined && selected.matches(previous))
    );
  }

  /** The events at the end of the watch: a last bookmark, if the client wants bookmarks and does not have this one. */
  finalEvents(): readonly WatchEvent[] {
    const isUpToDate = !this.#options.wantsBookmarks || this.#seen <= this.#bookmarked || this.#seen <= 0;
    return isUpToDate ? [] : [bookmarkAt(this.#seen)];
  }

  async #converted(batch: ObjectChanges): Promise<readonly WatchEvent[]> {
    const { resource } = this.#endpoint;
    await convertForReading(batch.changes.flatMap(statesOf), resource, this.#options);
    const events = this.#events(batch);
    await convertForReading(events.flatMap(objectsOf), resource, this.#options);
    return events;
  }

  #events(batch: ObjectChanges): readonly WatchEvent[] {
    const { resourceVersion, selected } = this.#options;
    const events: WatchEvent[] = [];
    for (const change of batch.changes) {
      const event = change.revision > resourceVersion ? eventOf(change, selected, this.#endpoint) : undefined;
      if (event !== undefined) events.push(event);
    }
    this.#seen = Math.max(this.#seen, batch.revision);
    if (this.isBookmarkDue && batch.changes.length === 0) {
      this.isBookmarkDue = false;
      this.#bookmarked = this.#seen;
      events.push(bookmarkAt(this.#seen));
    }
    return events;
  }
}

function bookmarkAt(revision: Revision): WatchEvent {
  return { type: 'BOOKMARK', resourceVersion: String(revision), endsInitialEvents: false };
}

function statesOf({ current, previous }: ObjectChange): StoredObject[] {
  return [current, previous].filter((state) => state !== undefined);
}

function objectsOf(event: WatchEvent): StoredObject[] {
  return 'object' in event ? [event.object] : [];
}

/** The event of a change for a watch that sees only the selected objects. */
function eventOf(change: ObjectChange, selected: Selection, { objects }: Endpoint): WatchEvent | undefined {
  const { current, previous } = change;
  const was = previous !== undefined && selected.matches(previous);
  if (current !== undefined && selected.matches(current)) return { type: was ? 'MODIFIED' : 'ADDED', object: current };
  if (previous === undefined || !was) return undefined;
  const last = current === undefined ? previous : objects.atRevision(previous, change.revision);
  return { type: 'DELETED', object: last };
}
