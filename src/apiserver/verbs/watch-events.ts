import { expired, internalError, type ListOptions, type Status, StatusError } from '../../api/index.ts';
import { leave, onAbort, OVER, type Polled, PolledPromise, PolledSource } from '../../base/index.ts';
import { isStoreError, type KeyRange, type Revision } from '../../store/index.ts';
import type { WatchEvent } from '../answers/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import { convertForReading } from '../storage/conversion.ts';
import type { ObjectChange, ObjectChanges } from '../storage/object-store.ts';
import type { Selection } from './selection.ts';
import { WatchEventMapper } from './watch-event-mapper.ts';

/** What a watch covers, and how. */
export interface WatchPlan {
  readonly selected: Selection;
  readonly range: KeyRange;
  readonly resourceVersion: Revision;
  readonly options: ListOptions;
  readonly signal: AbortSignal;
  /** Called when the initial events have been sent, and only changes follow. */
  readonly begun: () => void;
}

type Events = readonly WatchEvent[];
type Step = IteratorResult<Events, undefined>;

/** The store's changes, and their conversion to events. */
interface Following {
  readonly changes: Polled<ObjectChanges>;
  readonly mapper: WatchEventMapper;
}

/** The events of one watch: the initial state, if requested, then every change until the watch times out. */
export class WatchEvents extends PolledSource<Events> {
  readonly #endpoint: Endpoint;
  readonly #plan: WatchPlan;
  /** The initial events, and events whose objects must be converted. */
  readonly #made = new PolledPromise<Events>();
  /** Ends the changes: the watch timed out, the kind was withdrawn, or the call ended. */
  readonly #ended = new AbortController();
  readonly #held: Disposable[] = [];
  #hasBegun = false;
  /** The first revision of changes, once the initial state has been read. */
  #from: Revision | undefined;
  #following: Following | undefined;
  #isOver = false;

  constructor(endpoint: Endpoint, plan: WatchPlan) {
    super();
    this.#endpoint = endpoint;
    this.#plan = plan;
  }

  poll(wake: () => void): Step | undefined {
    if (this.#isOver) return OVER;
    try {
      return this.#read(wake);
    } catch (error) {
      this.leave();
      return { value: [{ type: 'ERROR', status: watchFailure(error, this.#plan) }], done: false };
    }
  }

  #read(wake: () => void): Step | undefined {
    for (;;) {
      if (!this.#hasBegun) this.#begin();
      if (this.#made.isPending) {
        const made = this.#made.poll(wake);
        if (made === undefined || made.value.length > 0) return made;
      }
      const { changes, mapper } = (this.#following ??= this.#follow());
      const step = changes.poll(wake);
      if (step === undefined) return undefined;
      if (step.done === true) return this.#end(mapper);
      const events = mapper.eventsOf(step.value);
      if (events instanceof Promise) this.#made.start(events);
      else if (events.length > 0) return { value: events, done: false };
    }
  }

  #begin(): void {
    this.#hasBegun = true;
    const { withdrawal, services } = this.#endpoint;
    const { signal, options } = this.#plan;
    const end = (): void => this.#ended.abort();
    if (signal.aborted) end();
    this.#held.push(
      withdrawal.onHappened(end),
      services.clock.timer(durationMs(this.#endpoint, options), end),
      onAbort(signal, end),
    );
    this.#made.start(this.#initialEvents());
  }

  /** The initial state as ADDED events, if the client requested it. */
  async #initialEvents(): Promise<Events> {
    const { objects, resource } = this.#endpoint;
    const { options, range, selected, resourceVersion, signal } = this.#plan;
    const wantsState = options.sendInitialEvents ?? resourceVersion === 0;
    // Without sendInitialEvents, an empty version means any version, as before that option existed.
    const takesAny = options.resourceVersion !== '' || options.sendInitialEvents === undefined;
    const newEnough = takesAny ? { notOlderThan: resourceVersion } : {};
    if (!wantsState) {
      this.#from = (resourceVersion === 0 ? await objects.revision(newEnough) : resourceVersion) + 1;
      return [];
    }
    const state = await objects.list(range, newEnough);
    await convertForReading(state.objects, resource, { signal });
    const added = state.objects.filter((object) => selected.matches(object));
    const events: WatchEvent[] = added.map((object) => ({ type: 'ADDED', object }));
    if (options.sendInitialEvents === true && options.allowWatchBookmarks) {
      events.push({ type: 'BOOKMARK', resourceVersion: String(state.revision), endsInitialEvents: true });
    }
    this.#from = state.revision + 1;
    return events;
  }

  #follow(): Following {
    const { objects, services } = this.#endpoint;
    const { options, selected, resourceVersion, range, begun } = this.#plan;
    const { signal } = this.#ended;
    const from = this.#from ?? 0;
    begun();
    const wantsBookmarks = options.allowWatchBookmarks;
    const mapper = new WatchEventMapper(this.#endpoint, { selected, resourceVersion, wantsBookmarks, signal }, from);
    if (wantsBookmarks) this.#held.push(services.bookmarks.join(() => (mapper.isBookmarkDue = true)));
    const wants = mapper.isSelective ? (change: ObjectChange) => mapper.isAbout(change) : undefined;
    return { changes: objects.watch(range, { from, signal, wants }), mapper };
  }

  #end(mapper: WatchEventMapper): Step {
    this.leave();
    const last = mapper.finalEvents();
    return last.length === 0 ? OVER : { value: last, done: false };
  }

  protected leave(): void {
    this.#isOver = true;
    for (const held of this.#held.splice(0)) held[Symbol.dispose]();
    this.#ended.abort(); // ends a pending wait for the source
    leave(this.#following?.changes);
  }
}

function durationMs(endpoint: Endpoint, options: ListOptions): number {
  const { minWatchSeconds, random } = endpoint.services;
  const seconds = options.timeoutSeconds ?? 0;
  return (seconds > 0 ? seconds : minWatchSeconds * (1 + random.float())) * 1000;
}

function watchFailure(error: unknown, plan: WatchPlan): Status {
  if (error instanceof StatusError) return error.status;
  if (isStoreError(error, 'Compacted')) {
    const { firstRevision } = error;
    if (firstRevision === undefined) return expired('The resourceVersion for the provided watch is too old.').status;
    return expired(`too old resource version: ${plan.resourceVersion} (${firstRevision - 1})`).status;
  }
  return internalError(error).status;
}
