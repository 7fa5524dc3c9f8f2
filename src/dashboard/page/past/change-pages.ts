import { signal } from '@preact/signals';
import type { Change, HistoryPage, Moment } from '../../protocol.ts';
import { sleep } from '../browser/clock.ts';
import type { Connection } from '../cluster/connection.ts';

export interface ChangeQuery {
  readonly resource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const REFRESH_MS = 2_000;
const PAGE_SIZE = 200;
/** Older changes are asked for by shorter spans of time. */
const MAX_CHANGES = 5_000;
/** When more pages than this have changed since the last look, the changes before them are asked for again when they are wanted. */
const MAX_NEW_PAGES = 5;

/** Changes of objects, the newest first, asked for again now and then; older ones when they are wanted. */
export class ChangePages {
  readonly changes = signal<readonly Change[]>([]);
  readonly oldest = signal<Moment | undefined>(undefined);
  readonly hasMore = signal(false);
  readonly error = signal<unknown>(undefined);
  readonly isLoaded = signal(false);
  readonly #connection: Pick<Connection, 'own'>;
  readonly #query: ChangeQuery;
  #continue: string | undefined;

  constructor(connection: Pick<Connection, 'own'>, query: ChangeQuery) {
    this.#connection = connection;
    this.#query = query;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#askNewest(signal);
        this.error.value = undefined;
      } catch (cause) {
        if (!signal.aborted) this.error.value = cause;
      }
      this.isLoaded.value = true;
      await sleep(REFRESH_MS, signal);
    }
  }

  async more(): Promise<void> {
    if (this.#continue === undefined) return;
    const page = await this.#ask({ continue: this.#continue });
    this.#continue = page.continue;
    this.#show([...this.changes.value, ...page.items]);
  }

  async #askNewest(signal: AbortSignal): Promise<void> {
    const known = this.changes.value[0]?.revision;
    const since: Readonly<Record<string, string>> = known === undefined ? {} : { from: String(known + 1) };
    let page = await this.#ask(since, signal);
    this.oldest.value = page.oldest;
    const newest = [...page.items];
    if (known === undefined) {
      this.#continue = page.continue;
      return this.#show(newest);
    }
    for (let pages = 1; page.continue !== undefined && pages < MAX_NEW_PAGES; pages++) {
      page = await this.#ask({ ...since, continue: page.continue }, signal);
      newest.push(...page.items);
    }
    if (newest.length === 0) return;
    if (page.continue === undefined) return this.#show([...newest, ...this.changes.value]);
    this.#continue = page.continue; // what was shown before would follow after a gap
    this.#show(newest);
  }

  #show(changes: readonly Change[]): void {
    this.changes.value = changes.slice(0, MAX_CHANGES);
    this.hasMore.value = this.#continue !== undefined && this.changes.value.length < MAX_CHANGES;
  }

  #ask(more: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<HistoryPage> {
    const parameters = new URLSearchParams({ limit: String(PAGE_SIZE) });
    for (const [name, value] of Object.entries({ ...this.#query, ...more }))
      if (value !== undefined && value !== '') parameters.set(name, value);
    return this.#connection.own<HistoryPage>(`history?${parameters}`, signal === undefined ? {} : { signal });
  }
}
