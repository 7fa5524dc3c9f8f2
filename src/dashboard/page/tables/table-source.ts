import { batch, signal } from '@preact/signals';
import { elapsed, nextFrame, sleep } from '../browser/clock.ts';
import type { KubernetesObject, PastState } from '../../protocol.ts';
import { ApiError, errorFromStatus, isAway, isExpired, isForbidden, messageOf } from '../cluster/api-error.ts';
import type { Connection } from '../cluster/connection.ts';
import { stateOf } from '../cluster/object-parts.ts';
import { pathOf, resourceName, type ResourceKind } from '../cluster/resource-kind.ts';
import type { RowChange } from './ordered-rows.ts';
import { TABLE, rowsIn, type Column, type Row, type RowMetadata, type TableAnswer } from './table-rows.ts';

export interface TableQuery {
  readonly kind: ResourceKind;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** The past: the list as it was at this resourceVersion. */
  readonly at?: number | undefined;
}

export type TableState =
  | { readonly type: 'loading' }
  /** Changes arrive as they happen; `isPolled` when they are asked for now and then. */
  | { readonly type: 'live'; readonly isPolled: boolean }
  /** As of a moment in the past. */
  | { readonly type: 'still' }
  | { readonly type: 'failed'; readonly error: ApiError };

const PAGE_SIZE = 500;
const POLL_MS = 4_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** Watches end by themselves after this time, and begin again where they ended. */
const WATCH_SECONDS = 600;
/** Changes are shown at most this often, so that a busy namespace does not keep the page busy. */
const SHOW_EVERY_MS = 100;
/** When more changes wait to be shown than this, they are shown at once. */
const MAX_WAITING = 5_000;
/** The versions whose changes are known; a reader that is further behind reads all rows. */
const KNOWN_VERSIONS = 8;

interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: TableAnswer;
}

/** A list of one kind as the server's table, kept current by a watch. */
export class TableSource {
  readonly columns = signal<readonly Column[]>([]);
  /** Goes up with every change of the rows. */
  readonly version = signal(0);
  readonly state = signal<TableState>({ type: 'loading' });
  /** Of objects that the list still has to deliver. */
  readonly remaining = signal(0);
  readonly query: TableQuery;
  readonly #connection: Connection;
  #rows = new Map<string, Row>();
  /** The changes that led to the last versions, the latest last. */
  #changes: (readonly RowChange[])[] = [];
  #waiting: WatchLine[] = [];
  #isShowing = false;
  #shownAt = 0;

  constructor(connection: Connection, query: TableQuery) {
    this.#connection = connection;
    this.query = query;
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#rows;
  }

  /** What has changed since a version; undefined when only all rows tell. */
  changesSince(version: number): readonly RowChange[] | undefined {
    const versions = this.version.peek() - version;
    if (versions > this.#changes.length) return undefined;
    return versions === 0 ? [] : this.#changes.slice(-versions).flat();
  }

  /** Lists and watches until the signal aborts. A failure is shown and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    let resourceVersion: string | undefined;
    while (!signal.aborted) {
      try {
        if (this.query.at !== undefined) return await this.#listPast(signal);
        resourceVersion ??= await this.#list(signal);
        retryMs = FIRST_RETRY_MS;
        resourceVersion = await this.#follow(resourceVersion, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) {
          resourceVersion = undefined; // history before it is gone: list again
          continue;
        }
        if (!isAway(error)) resourceVersion = undefined;
        const known = error instanceof ApiError ? error : new ApiError(0, 'Unknown', { message: messageOf(error) });
        // rows that are shown stay while the server is away: the header says that it is
        if (!isAway(error) || this.#rows.size === 0) this.state.value = { type: 'failed', error: known };
        await sleep(retryMs, signal);
        retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
      }
    }
  }

  /**
   * The list as it was. API servers make tables of the last minutes; what is older comes as whole objects from the dashboard's history, of which
   * the page makes columns that fit all kinds.
   */
  async #listPast(signal: AbortSignal): Promise<void> {
    try {
      await this.#list(signal);
    } catch (error) {
      if (signal.aborted || isAway(error) || isForbidden(error)) throw error;
      const { kind, namespace, at } = this.query;
      const parameters = new URLSearchParams({ at: String(at), resource: resourceName(kind) });
      if (namespace !== undefined && namespace !== '') parameters.set('namespace', namespace);
      const { items } = await this.#connection.own<PastState>(`state?${parameters}`, { signal });
      const answer = tableOfObjects(items);
      batch(() => {
        this.columns.value = answer.columnDefinitions ?? [];
        this.#replace(new Map(rowsIn(answer, 0).map((row) => [row.id, row])));
      });
    }
    this.state.value = { type: 'still' };
  }

  /** The whole list in pages; the first is shown when it arrives. */
  async #list(signal: AbortSignal): Promise<string> {
    const rows = new Map<string, Row>();
    const isFirst = this.#rows.size === 0;
    let next: string | undefined;
    let resourceVersion = '';
    do {
      const parameters = this.#parameters();
      parameters.set('limit', String(PAGE_SIZE));
      if (next !== undefined) {
        parameters.set('continue', next);
        parameters.delete('resourceVersion');
        parameters.delete('resourceVersionMatch');
      }
      const answer = await this.#ask<TableAnswer>(parameters, signal);
      if (answer.kind !== 'Table') throw new Error('The server answered with no table');
      for (const row of rowsIn(answer, 0)) rows.set(row.id, row);
      next = answer.metadata?.continue === '' ? undefined : answer.metadata?.continue;
      resourceVersion = answer.metadata?.resourceVersion ?? '';
      const isShown = isFirst || next === undefined;
      batch(() => {
        if (Array.isArray(answer.columnDefinitions)) this.columns.value = answer.columnDefinitions;
        this.remaining.value = next === undefined ? 0 : (answer.metadata?.remainingItemCount ?? 0);
        if (isShown) {
          this.#replace(rows);
          if (this.state.value.type !== 'live') this.state.value = { type: 'live', isPolled: false };
        }
      });
      await nextFrame();
    } while (next !== undefined);
    return resourceVersion;
  }

  /** Resolves to the resourceVersion up to which changes were seen, when the watch has ended; to undefined when the list has to be asked for again. */
  async #follow(from: string, signal: AbortSignal): Promise<string | undefined> {
    const parameters = this.#parameters();
    for (const [name, value] of Object.entries({
      watch: '1',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(WATCH_SECONDS),
      resourceVersion: from,
    }))
      parameters.set(name, value);
    const path = `${pathOf(this.query.kind, { namespace: this.query.namespace })}?${parameters}`;
    const lines = this.#connection.watch(path, { accept: TABLE, signal });
    this.state.value = { type: 'live', isPolled: lines === undefined };
    if (lines !== undefined) return this.#read(lines, from);
    await sleep(POLL_MS, signal);
    return undefined;
  }

  async #read(lines: AsyncIterable<string>, from: string): Promise<string> {
    let seen = from;
    for await (const line of lines) {
      if (line === '') continue;
      const event = JSON.parse(line) as WatchLine;
      if (event.type === 'ERROR') throw errorFromStatus(event.object as Readonly<Record<string, unknown>>);
      seen = versionOf(event) ?? seen;
      if (event.type !== 'BOOKMARK') this.#receive(event);
    }
    return seen;
  }

  #receive(event: WatchLine): void {
    this.#waiting.push(event);
    if (this.#waiting.length >= MAX_WAITING) this.#show();
    else if (!this.#isShowing) void this.#showSoon();
  }

  async #showSoon(): Promise<void> {
    this.#isShowing = true;
    const waitMs = this.#shownAt + SHOW_EVERY_MS - elapsed();
    if (waitMs > 0) await sleep(waitMs);
    await nextFrame();
    this.#show();
    this.#isShowing = false;
  }

  #show(): void {
    const events = this.#waiting;
    this.#waiting = [];
    this.#shownAt = elapsed();
    const changes: RowChange[] = [];
    for (const { type, object } of events) {
      for (const row of rowsIn(object, this.#shownAt)) {
        const before = this.#rows.get(row.id);
        const after = type === 'DELETED' ? undefined : row;
        if (after === undefined) this.#rows.delete(row.id);
        else this.#rows.set(row.id, after);
        if (before !== undefined || after !== undefined) changes.push({ before, after });
      }
    }
    this.#changes = [...this.#changes.slice(1 - KNOWN_VERSIONS), changes];
    this.version.value++;
  }

  #replace(rows: Map<string, Row>): void {
    this.#rows = rows;
    this.#changes = [];
    this.version.value++;
  }

  #parameters(): URLSearchParams {
    const { labelSelector, fieldSelector, at } = this.query;
    const parameters = new URLSearchParams();
    if (labelSelector !== undefined && labelSelector !== '') parameters.set('labelSelector', labelSelector);
    if (fieldSelector !== undefined && fieldSelector !== '') parameters.set('fieldSelector', fieldSelector);
    if (at !== undefined) {
      parameters.set('resourceVersion', String(at));
      parameters.set('resourceVersionMatch', 'Exact');
    }
    return parameters;
  }

  #ask<T>(parameters: URLSearchParams, signal: AbortSignal): Promise<T> {
    const path = `${pathOf(this.query.kind, { namespace: this.query.namespace })}?${parameters}`;
    return this.#connection.clusterJson<T>(path, { accept: TABLE, signal });
  }
}

function versionOf({ object }: WatchLine): string | undefined {
  return object.rows?.[0]?.object?.metadata?.resourceVersion ?? object.metadata?.resourceVersion;
}

function tableOfObjects(items: readonly KubernetesObject[]): TableAnswer {
  return {
    columnDefinitions: [
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'State', type: 'string', priority: 0 },
      { name: 'Age', type: 'string', priority: 0 },
    ],
    rows: items.map((object) => ({
      cells: [object.metadata?.name ?? '', stateOf(object), ''],
      object: { metadata: (object.metadata ?? {}) as RowMetadata },
    })),
  };
}
