import { expired, internalError, type Status, StatusError } from '../../api/index.ts';
import { isStoreError, type KeyRange, type Revision } from '../../store/index.ts';
import type { Answer, WatchEvent } from '../answers/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { listOptions, type ListOptions } from '../request/list-options.ts';
import { convertForReading } from '../storage/conversion.ts';
import type { ObjectChange } from '../storage/object-store.ts';
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
  const ended = new AbortController();
  const { clock } = endpoint.services;
  using _withdrawn = endpoint.withdrawal.onHappened(() => ended.abort());
  using _timeUp = clock.timer(durationMs(endpoint, plan.options), () => ended.abort());
  const signal = AbortSignal.any([plan.signal, ended.signal]);
  try {
    const from = yield* initialEvents(endpoint, plan);
    plan.begun();
    yield* changesFrom(endpoint, { ...plan, signal }, from);
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

async function* changesFrom(
  endpoint: Endpoint,
  plan: WatchPlan,
  from: Revision,
): AsyncGenerator<readonly WatchEvent[]> {
  const { objects, resource, services } = endpoint;
  let seen = from - 1;
  let bookmarked = seen;
  let isBookmarkDue = false;
  const converts = resource.storage.convert !== undefined;
  const round = plan.options.allowWatchBookmarks ? services.bookmarks.join(() => (isBookmarkDue = true)) : undefined;
  try {
    for await (const batch of objects.watch(plan.range, { from, signal: plan.signal })) {
      const events: WatchEvent[] = [];
      if (converts) await convertForReading(batch.changes.flatMap(statesOf), resource, plan);
      for (const change of batch.changes) {
        const event = change.revision > plan.resourceVersion ? eventOf(change, plan.selected, endpoint) : undefined;
        if (event !== undefined) events.push(event);
      }
      if (converts) await convertForReading(events.flatMap(objectsOf), resource, plan);
      seen = Math.max(seen, batch.revision);
      if (isBookmarkDue && batch.changes.length === 0) {
        isBookmarkDue = false;
        bookmarked = seen;
        events.push({ type: 'BOOKMARK', resourceVersion: String(seen), endsInitialEvents: false });
      }
      if (events.length > 0) yield events;
    }
  } finally {
    round?.[Symbol.dispose]();
  }
  if (plan.options.allowWatchBookmarks && seen > bookmarked && seen > 0) {
    yield [{ type: 'BOOKMARK', resourceVersion: String(seen), endsInitialEvents: false }];
  }
}

function statesOf({ current, previous }: ObjectChange): StoredObject[] {
  return [current, previous].filter((state) => state !== undefined);
}

function objectsOf(event: WatchEvent): StoredObject[] {
  return 'object' in event ? [event.object] : [];
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
