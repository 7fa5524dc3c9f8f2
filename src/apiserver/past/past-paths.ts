import { badRequest, expired, methodNotAllowed, notFound } from '../../api/index.ts';
import { Slice } from '../../base/index.ts';
import type { PastRevisions } from '../../store/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import { changeOf, type FoundEvent, type PastChangeDetail } from './past-change.ts';
import { PastRequests } from './past-requests.ts';
import { pastState } from './past-state.ts';
import type { PastParts } from './past-parts.ts';
import { newestMoment, oldestMoment } from './moments.ts';
import { numberOf, positionOf, revisionOf } from './read-query.ts';
import { resourceName, StoredKinds } from './stored-kinds.ts';

const HISTORY = '/keelson/history';
const STATE = '/keelson/state';
const MAX_ITEMS = 1000;
const DEFAULT_ITEMS = 200;
const MAX_BUCKETS = 2000;
const DEFAULT_BUCKETS = 200;
/** Renewed all the time by everything that runs: shown only to clients that ask for them. */
const NOISE = 'leases.coordination.k8s.io';

/**
 * Serves what the store keeps of the past: `/keelson/history` lists changes, newest first; `/keelson/history/REVISION` shows one with the
 * object before and after it, `/keelson/history/moments` counts them over time, and `/keelson/state` lists objects as they were.
 *
 * The paths do not exist where another process has the store. Who may get them is up to the authorizers, as for all paths: they show objects
 * of all kinds, but no values of Secrets.
 */
export class PastPaths implements PathHandler {
  readonly #parts: PastParts;

  constructor(parts: PastParts) {
    this.#parts = parts;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const { path, method, query } = call.request;
    const isState = path === STATE;
    if (!isState && path !== HISTORY && !path.startsWith(`${HISTORY}/`)) return undefined;
    const { past } = this.#parts.objects.store as { readonly past?: PastRevisions };
    if (past === undefined) return undefined;
    if (method !== 'GET') throw methodNotAllowed();
    const kinds = new StoredKinds(this.#parts.registry);
    if (isState) return pastState(past, query, { ...this.#parts, kinds });
    const rest = path.slice(HISTORY.length + 1);
    if (rest === '') return json(await this.#page(past, query, kinds));
    if (rest === 'moments') return json(await this.#moments(past, query));
    return json(await this.#one(past, rest, kinds));
  }

  async #page(past: PastRevisions, query: Query, kinds: StoredKinds): Promise<unknown> {
    const wanted = wantedOf(query, kinds);
    const limit = numberOf(query, 'limit', { most: MAX_ITEMS, default: DEFAULT_ITEMS });
    const from = Math.max(past.first, revisionOf(query, 'from', past) ?? past.first);
    const to = Math.min(
      past.last,
      revisionOf(query, 'to', past) ?? past.last,
      (positionOf(query.get('continue')) ?? Infinity) - 1,
    );
    const slice = this.#slice();
    const requests = new PastRequests(this.#parts.recent);
    const items: Omit<PastChangeDetail, 'before' | 'after'>[] = [];
    let revision = to;
    for (; revision >= Math.max(from, past.first) && items.length < limit; revision--) {
      for (const found of foundAt(past, revision, kinds)) {
        if (!wanted(found)) continue;
        const { before: _, after: __, ...change } = await changeOf(found);
        items.push({ ...change, ...requests.of(found) });
      }
      if (slice.isOver) await slice.next();
    }
    return {
      items,
      oldest: oldestMoment(past, this.#parts.clock),
      newest: newestMoment(past, this.#parts.clock),
      ...(revision >= from ? { continue: String(revision + 1) } : {}),
    };
  }

  async #one(past: PastRevisions, text: string, kinds: StoredKinds): Promise<PastChangeDetail> {
    const revision = positionOf(text);
    if (revision === undefined) throw badRequest(`a change is named by its revision, got ${JSON.stringify(text)}`);
    if (revision < past.first) throw expired(`revision ${revision} is no longer kept; the oldest is ${past.first}`);
    const [found] = revision > past.last ? [] : foundAt(past, revision, kinds);
    if (found === undefined) throw notFound({ group: '', resource: 'changes' }, text);
    return { ...(await changeOf(found)), ...new PastRequests(this.#parts.recent).of(found) };
  }

  async #moments(past: PastRevisions, query: Query): Promise<unknown> {
    const { clock } = this.#parts;
    const count = numberOf(query, 'buckets', { most: MAX_BUCKETS, default: DEFAULT_BUCKETS });
    const [oldest, newest] = [oldestMoment(past, clock), newestMoment(past, clock)];
    const startMs = Date.parse(oldest.time);
    const spanMs = Math.max(1, (Date.parse(newest.time) - startMs) / count);
    const buckets: { time: string; revision: number; changes: number }[] = Array.from(
      { length: count },
      (_, index) => ({
        time: new Date(startMs + index * spanMs).toISOString(),
        revision: oldest.revision,
        changes: 0,
      }),
    );
    const slice = this.#slice();
    for (let revision = past.first; revision <= past.last; revision++) {
      const { timeMs, events } = past.at(revision);
      const bucket = buckets[Math.max(0, Math.min(count - 1, Math.floor((timeMs - startMs) / spanMs)))];
      if (bucket === undefined) continue;
      bucket.revision = revision;
      if (!events.every(isNoise)) bucket.changes += 1;
      if (!slice.isOver) continue;
      await slice.next();
      revision = Math.max(revision, past.first); // what was dropped meanwhile cannot be counted
    }
    let last = oldest.revision;
    for (const bucket of buckets) last = bucket.revision = Math.max(last, bucket.revision);
    return { oldest, newest, buckets };
  }

  #slice(): Slice {
    return new Slice(this.#parts.turns, this.#parts.clock);
  }
}

type Query = Call['request']['query'];

/** The events of a revision whose kinds are served. */
function* foundAt(past: PastRevisions, revision: number, kinds: StoredKinds): Generator<FoundEvent> {
  const { events, timeMs } = past.at(revision);
  for (const event of events) {
    const place = kinds.placeOf(event.type === 'put' ? event.entry.key : event.key);
    if (place !== undefined) yield { event, place, revision, timeMs };
  }
}

function isNoise(event: FoundEvent['event']): boolean {
  return (event.type === 'put' ? event.entry.key : event.key).startsWith('/registry/leases/');
}

/** The test for what a query asks for. */
function wantedOf(query: Query, kinds: StoredKinds): (found: FoundEvent) => boolean {
  const [resource, namespace, name] = ['resource', 'namespace', 'name'].map((member) => query.get(member) ?? '');
  if (resource !== '' && resource !== undefined && kinds.named(resource) === undefined)
    throw notFound({ group: '', resource: 'kinds' }, resource);
  return ({ place }) => {
    const of = resourceName(place.kind.resource);
    if (resource === '' ? of === NOISE : of !== resource) return false;
    return (namespace === '' || namespace === place.namespace) && (name === '' || name === place.name);
  };
}

function json(value: unknown): Answer {
  return { type: 'bytes', code: 200, contentType: 'application/json', body: `${JSON.stringify(value)}\n` };
}
