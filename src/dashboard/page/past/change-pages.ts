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

/** Changes of objects, the newest first, asked for again now and then; older ones when they are wanted. */
export class ChangePages {
  readonly changes = signal<readonly Change[]>([]);
  readonly oldest = signal<Moment | undefined>(undefined);
  readonly hasMore = signal(false);
  readonly error = signal<unknown>(undefined);
  readonly isLoaded = signal(false);
  readonly #connection: Connection;
  readonly #query: ChangeQuery;
  #continue: string | undefined;

  constructor(connection: Connection, query: ChangeQuery) {
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
    this.changes.value = [...this.changes.value, ...page.items].slice(0, MAX_CHANGES);
    this.hasMore.value = page.continue !== undefined && this.changes.value.length < MAX_CHANGES;
  }

  async #askNewest(signal: AbortSignal): Promise<void> {
    const known = this.changes.value[0]?.revision;
    const page = await this.#ask(known === undefined ? {} : { from: String(known + 1) }, signal);
    this.oldest.value = page.oldest;
    if (known === undefined) {
      this.#continue = page.continue;
      this.hasMore.value = page.continue !== undefined;
      this.changes.value = page.items;
    } else if (page.items.length > 0) this.changes.value = [...page.items, ...this.changes.value].slice(0, MAX_CHANGES);
  }

  #ask(more: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<HistoryPage> {
    const parameters = new URLSearchParams({ limit: String(PAGE_SIZE) });
    for (const [name, value] of Object.entries({ ...this.#query, ...more }))
      if (value !== undefined && value !== '') parameters.set(name, value);
    return this.#connection.own<HistoryPage>(`history?${parameters}`, signal === undefined ? {} : { signal });
  }
}
