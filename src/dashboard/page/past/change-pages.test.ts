import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Change, HistoryPage } from '../../protocol.ts';
import { ChangePages } from './change-pages.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The history of a server: pages of changes, the newest first. */
class Past {
  revision = 0;

  own = async <T>(path: string): Promise<T> => {
    const query = new URLSearchParams(path.split('?')[1]);
    const [from, limit] = [Number(query.get('from') ?? 1), Number(query.get('limit'))];
    const start = Number(query.get('continue') ?? this.revision);
    const items = Array.from({ length: Math.max(0, Math.min(limit, start - from + 1)) }, (_, index) =>
      change(start - index),
    );
    const next = start - items.length;
    const moment = { revision: 1, time: '2026-01-01T00:00:00.000Z' };
    const page: HistoryPage = {
      items,
      oldest: moment,
      newest: moment,
      ...(next >= from ? { continue: String(next) } : {}),
    };
    return page as T;
  };
}

function change(revision: number): Change {
  return {
    revision,
    time: '2026-01-01T00:00:00.000Z',
    verb: 'update',
    group: '',
    version: 'v1',
    resource: 'pods',
    kind: 'Pod',
    name: 'web',
    uid: 'u',
  };
}

test.each([10, 250, 3000])(
  'after a burst of %i changes none between the first and the last shown is missing',
  async (burst) => {
    const past = new Past();
    past.revision = 500;
    const pages = new ChangePages(past, {});
    const stop = new AbortController();
    const running = pages.run(stop.signal);
    await vi.advanceTimersByTimeAsync(1);
    expect(pages.changes.value.length).toBe(200);
    past.revision += burst;
    await vi.advanceTimersByTimeAsync(2_500);
    for (let count = 0; count < 2; count++) await pages.more();
    stop.abort();
    await running;
    const [newest = 0] = pages.changes.value.map(({ revision }) => revision);
    expect(newest).toBe(past.revision);
    expect(pages.changes.value.map(({ revision }) => newest - revision)).toEqual(
      pages.changes.value.map((_, index) => index),
    );
  },
);
