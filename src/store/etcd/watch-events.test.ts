import { expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import type { WatchBatch } from '../store.ts';
import { keyNames } from './key-names.ts';
import { EVENT_DELETE, type WatchEvent } from './messages/watch.ts';
import { WatchEvents } from './watch-events.ts';

const put = (key: string, modRevision: number): WatchEvent => ({
  kv: { key, value: Buffer.from(key), createRevision: modRevision, modRevision },
});
const del = (key: string, modRevision: number): WatchEvent => ({ type: EVENT_DELETE, kv: { key, modRevision } });

function say(batch: WatchBatch | undefined): string | undefined {
  if (batch === undefined) return undefined;
  const events = batch.events.map((event) =>
    event.type === 'put' ? `${event.entry.key}@${event.entry.modRevision}` : `-${event.key}@${event.revision}`,
  );
  return `${events.join(' ')} to ${batch.revision}`;
}

const open = (from: number): WatchEvents => new WatchEvents(prefixRange('/a/'), { from, names: keyNames() });

test('a revision that is split between fragments is delivered in one batch', () => {
  const events = open(5);

  expect(say(events.take({ fragment: true, events: [put('/a/1', 5), put('/a/1', 6), put('/a/2', 6)] }))).toBe(
    '/a/1@5 to 5',
  );
  expect(events.seen).toBe(5);
  expect(say(events.take({ fragment: true, events: [del('/a/3', 6)] }))).toBeUndefined();
  expect(say(events.take({ fragment: true, events: [put('/a/4', 6), put('/a/4', 9)] }))).toBe(
    '/a/1@6 /a/2@6 -/a/3@6 /a/4@6 to 8',
  );
  expect(say(events.take({ events: [put('/a/5', 10)] }))).toBe('/a/4@9 /a/5@10 to 10');
  expect(events.seen).toBe(10);
});

test('events that were delivered before, or are outside of the range, are dropped', () => {
  const events = open(5);
  events.take({ events: [put('/a/1', 7)] });

  expect(say(events.take({ events: [put('/a/1', 7), put('/b/1', 8), put('/a/2', 9), put('/b/2', 9)] }))).toBe(
    '/a/2@9 to 9',
  );
  expect(events.take({ events: [put('/b/1', 12)] })).toBeUndefined();
  expect(events.seen).toBe(12);
  events.advance(11);
  expect(events.seen).toBe(12);
});

test('events held back when the stream broke are taken when they are sent again', () => {
  const events = open(5);
  events.take({ fragment: true, events: [put('/a/1', 5), put('/a/2', 6)] });

  events.restart();

  expect(events.seen).toBe(5);
  expect(say(events.take({ events: [put('/a/2', 6), put('/a/3', 6)] }))).toBe('/a/2@6 /a/3@6 to 6');
});
