import { badRequest, expired, notFound } from '../../../api/client.ts';
import { Slice, Turns, type Clock } from '../../../base/index.ts';
import type { ChangeDetail, HistoryMoments, HistoryPage, KubernetesObject, Moment, PastState } from '../../protocol.ts';
import { momentOf, type SeenChange } from './change-log.ts';
import { describeChange } from './describe-change.ts';
import { numberOf, resourceName, revisionOf } from './past-query.ts';
import type { PastSource } from './past-source.ts';
import type { WatchRecorder } from './watch-recorder.ts';

const LISTED = { most: 1000, default: 200 };
const BUCKETS = { most: 2000, default: 200 };

/** The past as it was seen by watching. */
export class RecordedPast implements PastSource {
  readonly #recorder: WatchRecorder;
  readonly #clock: Clock;
  readonly #turns = new Turns();

  constructor(recorder: WatchRecorder, clock: Clock) {
    this.#recorder = recorder;
    this.#clock = clock;
  }

  get since(): Moment {
    return this.#log.since;
  }

  async page(query: URLSearchParams): Promise<HistoryPage> {
    const log = this.#log;
    const limit = numberOf(query, 'limit', LISTED);
    const from = revisionOf(query, 'from', log) ?? 0;
    const before = revisionOf(query, 'continue', log) ?? Infinity;
    const to = Math.min(revisionOf(query, 'to', log) ?? Infinity, before - 1);
    const isWanted = this.#wanted(query);
    const found: SeenChange[] = [];
    const slice = new Slice(this.#turns, this.#clock);
    for (const change of log.changes.toReversed()) {
      if (slice.isOver) await slice.next();
      if (change.revision > to || change.revision < from || !isWanted(change)) continue;
      if (found.length >= limit && found.at(-1)?.revision !== change.revision)
        return { ...this.#ends, items: found.map(describeChange), continue: String(found.at(-1)?.revision) };
      found.push(change);
    }
    return { ...this.#ends, items: found.map(describeChange) };
  }

  async change(text: string): Promise<ChangeDetail> {
    const revision = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (Number.isNaN(revision)) throw badRequest(`a change is named by its revision, got ${JSON.stringify(text)}`);
    const found = this.#log.changes.find((change) => change.revision === revision);
    if (found === undefined && revision <= this.since.revision)
      throw expired(`revision ${revision} is no longer kept, or was before the dashboard began to watch`);
    if (found === undefined) throw notFound({ group: '', resource: 'changes' }, text);
    const { before, after } = found;
    return {
      ...describeChange(found),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
  }

  async moments(query: URLSearchParams): Promise<HistoryMoments> {
    const count = numberOf(query, 'buckets', BUCKETS);
    const { oldest, newest } = this.#ends;
    const startMs = Date.parse(oldest.time);
    const spanMs = Math.max(1, (Date.parse(newest.time) - startMs) / count);
    const buckets = Array.from({ length: count }, (_, index) => {
      return { time: new Date(startMs + index * spanMs).toISOString(), revision: 0, changes: 0 };
    });
    for (const { timeMs, revision } of this.#log.changes) {
      const bucket = buckets[Math.max(0, Math.min(count - 1, Math.floor((timeMs - startMs) / spanMs)))];
      if (bucket === undefined) continue;
      bucket.revision = Math.max(bucket.revision, revision);
      bucket.changes += 1;
    }
    let last = oldest.revision;
    for (const bucket of buckets) last = bucket.revision = Math.max(last, bucket.revision);
    return { oldest, newest, buckets };
  }

  async state(query: URLSearchParams): Promise<PastState> {
    const asked = query.get('resource') ?? '';
    const kind = this.#recorder.kindOf(asked);
    if (kind === undefined)
      throw asked === ''
        ? badRequest('resource is missing, such as deployments.apps')
        : notFound({ group: '', resource: 'kinds' }, asked);
    const revision = revisionOf(query, 'at', this.#log) ?? this.#log.newest.revision;
    if (revision < this.since.revision) throw expired(`the state at revision ${revision} is no longer kept`);
    const objects = new Map(this.#recorder.objectsOf(asked));
    for (const change of this.#log.changes.toReversed()) {
      if (change.revision <= revision) break;
      if (resourceName(change.kind) !== asked) continue;
      const key = keyOf(change.after ?? change.before ?? {});
      if (change.before === undefined) objects.delete(key);
      else objects.set(key, change.before);
    }
    const [namespace, name] = [query.get('namespace') ?? '', query.get('name') ?? ''];
    const items = [...objects.values()].filter(
      ({ metadata }) =>
        (namespace === '' || metadata?.namespace === namespace) && (name === '' || metadata?.name === name),
    );
    const last = this.#log.changes.findLast((change) => change.revision <= revision);
    return {
      at: last === undefined ? { ...this.since, revision } : { ...momentOf(last), revision },
      apiVersion: kind.apiVersion,
      kind: `${kind.kind}List`,
      items: items.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1)),
    };
  }

  get #log() {
    return this.#recorder.log;
  }

  get #ends(): { readonly oldest: Moment; readonly newest: Moment } {
    return { oldest: this.#log.since, newest: this.#log.newest };
  }

  #wanted(query: URLSearchParams): (change: SeenChange) => boolean {
    const [resource, namespace, name] = [query.get('resource'), query.get('namespace'), query.get('name')].map(
      (text) => text ?? '',
    );
    return ({ kind, before, after }) => {
      const { metadata } = after ?? before ?? {};
      return (
        (resource === '' || resource === resourceName(kind)) &&
        (namespace === '' || namespace === metadata?.namespace) &&
        (name === '' || name === metadata?.name)
      );
    };
  }
}

export function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
