import { expired, internalError, type Status, StatusError } from '../../api/index.ts';
import { AbortScope } from '../../base/index.ts';
import { isStoreError, type KeyRange, type Revision } from '../../store/index.ts';
import type { Answer, WatchEvent } from '../answers/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { listOptions, type ListOptions } from '../request/list-options.ts';
import { convertForReading } from '../storage/conversion.ts';
import type { ChangesOptions, ObjectChange, ObjectChanges } from '../storage/object-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { rangeFor } from './list.ts';
import { parseRevision } from './revision-rules.ts';
import { selection, type Selection } from './selection.ts';

/** GET …?watch=true: what is there (when asked for), then every change until the time is up. */
export async function watch(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource } = endpoint;
  const options = listOptions(call.query, true);
  const { namespace, name } = call.info;
  const plan: WatchPlan = {
    selected: selection(resource, options, name),
    range: rangeFor(resource, { namespace, name }),
    resourceVersion: parseRevision(options.resourceVersion, false),
    options,
    signal: call.signal,
    begun: () => call.served(),
  };
  return { type: 'watch', resource, events: watchEvents(endpoint, plan) };
}

interface WatchPlan {
  readonly selected: Selection;
  readonly range: KeyRange;
  readonly resourceVersion: Revision;
  readonly options: ListOptions;
  readonly signal: AbortSignal;
  /** Called when what is there has been told, and only changes are left. */
  readonly begun: () => void;
}

async function* watchEvents(endpoint: Endpoint, plan: WatchPlan): AsyncGenerator<readonly WatchEvent[]> {
  const { clock } = endpoint.services;
  using scope = new AbortScope(plan.signal);
  using _withdrawn = endpoint.withdrawal.onHappened(() => scope.abort());
  using _timeUp = clock.timer(durationMs(endpoint, plan.options), () => scope.abort());
  const { signal } = scope;
  try {
    const from = yield* initialEvents(endpoint, plan);
    plan.begun();
    const told = new ToldChanges(endpoint, { ...plan, signal }, from);
    using _round = plan.options.allowWatchBookmarks
      ? endpoint.services.bookmarks.join(() => (told.isBookmarkDue = true))
      : undefined;
    const wants = wantedBy(plan.selected, endpoint);
    for await (const batch of endpoint.objects.watch(plan.range, { from, signal, wants })) {
      const made = told.eventsOf(batch);
      const events = made instanceof Promise ? await made : made;
      if (events.length > 0) yield events;
    }
    const last = told.lastWords();
    if (last.length > 0) yield last;
  } catch (error) {
    yield [{ type: 'ERROR', status: watchFailure(error, plan) }];
  }
}

function durationMs(endpoint: Endpoint, options: ListOptions): number {
  const { minWatchSeconds, random } = endpoint.services;
  const seconds = options.timeoutSeconds ?? 0;
  return (seconds > 0 ? seconds : minWatchSeconds * (1 + random.float())) * 1000;
}

/** The state to start from, as ADDED events, when the client asked for it; answers where changes begin. */
async function* initialEvents(
  { objects, resource }: Endpoint,
  { options, range, selected, resourceVersion, signal }: WatchPlan,
): AsyncGenerator<readonly WatchEvent[], Revision> {
  const wantsState = options.sendInitialEvents ?? resourceVersion === 0;
  // Without initial events being asked for, no version means any, as in Kubernetes before there was such a wish.
  const takesAny = options.resourceVersion !== '' || options.sendInitialEvents === undefined;
  const newEnough = takesAny ? { notOlderThan: resourceVersion } : {};
  if (!wantsState) return resourceVersion === 0 ? (await objects.revision(newEnough)) + 1 : resourceVersion + 1;
  const state = await objects.list(range, newEnough);
  await convertForReading(state.objects, resource, { signal });
  const added = state.objects.filter((object) => selected.matches(object));
  const events: WatchEvent[] = added.map((object) => ({ type: 'ADDED', object }));
  if (options.sendInitialEvents === true && options.allowWatchBookmarks) {
    events.push({ type: 'BOOKMARK', resourceVersion: String(state.revision), endsInitialEvents: true });
  }
  if (events.length > 0) yield events;
  return state.revision + 1;
}

/** Makes events of changes, and knows how far its watcher has been told. */
class ToldChanges {
  readonly #endpoint: Endpoint;
  readonly #plan: WatchPlan;
  #seen: Revision;
  #bookmarked: Revision;
  isBookmarkDue = false;

  constructor(endpoint: Endpoint, plan: WatchPlan, from: Revision) {
    this.#endpoint = endpoint;
    this.#plan = plan;
    this.#seen = from - 1;
    this.#bookmarked = this.#seen;
  }

  eventsOf(batch: ObjectChanges): readonly WatchEvent[] | Promise<readonly WatchEvent[]> {
    const { resource } = this.#endpoint;
    if (resource.storage.convert === undefined) return this.#events(batch);
    return this.#converted(batch);
  }

  /** What is said at the end of a watch that may be told how far it got. */
  lastWords(): readonly WatchEvent[] {
    const isTold = !this.#plan.options.allowWatchBookmarks || this.#seen <= this.#bookmarked || this.#seen <= 0;
    return isTold ? [] : [bookmarkAt(this.#seen)];
  }

  async #converted(batch: ObjectChanges): Promise<readonly WatchEvent[]> {
    const { resource } = this.#endpoint;
    await convertForReading(batch.changes.flatMap(statesOf), resource, this.#plan);
    const events = this.#events(batch);
    await convertForReading(events.flatMap(objectsOf), resource, this.#plan);
    return events;
  }

  #events(batch: ObjectChanges): readonly WatchEvent[] {
    const { resourceVersion, selected } = this.#plan;
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

/** Of the many watches that each see few objects, such as those of nodes, a change wakes up those that it concerns. */
function wantedBy(selected: Selection, { resource }: Endpoint): ChangesOptions['wants'] {
  if (selected.isAll || resource.storage.convert !== undefined) return undefined;
  const isSelected = (state: StoredObject | undefined): boolean => state !== undefined && selected.matches(state);
  return ({ current, previous }) => isSelected(current) || isSelected(previous);
}

/** What a change means to a watcher that sees only the selected objects. */
function eventOf(change: ObjectChange, selected: Selection, { objects }: Endpoint): WatchEvent | undefined {
  const { current, previous } = change;
  const was = previous !== undefined && selected.matches(previous);
  if (current !== undefined && selected.matches(current)) return { type: was ? 'MODIFIED' : 'ADDED', object: current };
  if (previous === undefined || !was) return undefined;
  const last = current === undefined ? previous : objects.atRevision(previous, change.revision);
  return { type: 'DELETED', object: last };
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
