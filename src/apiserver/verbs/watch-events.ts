import { expired, internalError, type ListOptions, type Status, StatusError } from '../../api/index.ts';
import { leave, onAbort, OVER, type Polled, PolledPromise, PolledSource } from '../../base/index.ts';
import { isStoreError, type KeyRange, type Revision } from '../../store/index.ts';
import type { WatchEvent } from '../answers/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import { convertForReading } from '../storage/conversion.ts';
import type { ObjectChange, ObjectChanges } from '../storage/object-store.ts';
import type { Selection } from './selection.ts';
import { ToldChanges } from './told-changes.ts';

/** What a watch is about. */
export interface WatchPlan {
  readonly selected: Selection;
  readonly range: KeyRange;
  readonly resourceVersion: Revision;
  readonly options: ListOptions;
  readonly signal: AbortSignal;
  /** Called when what is there has been told, and only changes are left. */
  readonly begun: () => void;
}

type Events = readonly WatchEvent[];
type Step = IteratorResult<Events, undefined>;

/** The changes that a watcher is told of. */
interface Following {
  readonly changes: Polled<ObjectChanges>;
  readonly told: ToldChanges;
}

/** The events of one watch: what is there, when that was asked for, then every change until the time is up. */
export class WatchEvents extends PolledSource<Events> {
  readonly #endpoint: Endpoint;
  readonly #plan: WatchPlan;
  /** The state to begin with, and events that take a conversion. */
  readonly #made = new PolledPromise<Events>();
  /** Ends the changes: the time is up, the kind is withdrawn, or the call is over. */
  readonly #ended = new AbortController();
  readonly #held: Disposable[] = [];
  #hasBegun = false;
  /** Where changes begin, once what is there is known. */
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
      const { changes, told } = (this.#following ??= this.#follow());
      const step = changes.poll(wake);
      if (step === undefined) return undefined;
      if (step.done === true) return this.#end(told);
      const events = told.eventsOf(step.value);
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

  /** The state to start from, as ADDED events, when the client asked for it. */
  async #initialEvents(): Promise<Events> {
    const { objects, resource } = this.#endpoint;
    const { options, range, selected, resourceVersion, signal } = this.#plan;
    const wantsState = options.sendInitialEvents ?? resourceVersion === 0;
    // Without initial events being asked for, no version means any, as in Kubernetes before there was such a wish.
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
    const told = new ToldChanges(this.#endpoint, { selected, resourceVersion, wantsBookmarks, signal }, from);
    if (wantsBookmarks) this.#held.push(services.bookmarks.join(() => (told.isBookmarkDue = true)));
    const wants = told.isSelective ? (change: ObjectChange) => told.isAbout(change) : undefined;
    return { changes: objects.watch(range, { from, signal, wants }), told };
  }

  #end(told: ToldChanges): Step {
    this.leave();
    const last = told.lastWords();
    return last.length === 0 ? OVER : { value: last, done: false };
  }

  protected leave(): void {
    this.#isOver = true;
    for (const held of this.#held.splice(0)) held[Symbol.dispose]();
    this.#ended.abort(); // for a source that is being waited for
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
