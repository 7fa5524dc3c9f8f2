import { describe, expect, test } from 'vitest';
import { bytes, put } from '../testing/text-values.ts';
import { History, type HistoryLimits } from './history.ts';
import { recordOf, type RevisionRecord } from './revision-record.ts';

function record(revision: number, timeMs = 0, value = ''): RevisionRecord {
  const key = '/a';
  const before = { key, value: bytes(value), createRevision: 1, modRevision: revision - 1 };
  return recordOf([put(key, '')], { revision, timeMs, lookUp: () => before }) as RevisionRecord;
}

function historyTo(last: number, limits?: HistoryLimits): History {
  const history = new History(0, limits);
  for (let revision = 1; revision <= last; revision++) history.append(record(revision));
  return history;
}

describe('History', () => {
  test('finds each revision it has and refuses others', () => {
    const history = historyTo(300);

    for (const revision of [1, 63, 64, 65, 128, 300]) expect(history.at(revision).revision).toBe(revision);
    expect(() => history.at(0)).toThrow(RangeError);
    expect(() => history.at(301)).toThrow('the history has 1 to 300');
    expect(() => history.append(record(302))).toThrow('301 comes next');
  });

  test('begins after the given revision', () => {
    const history = new History(1000);

    expect([history.first, history.last]).toEqual([1001, 1000]);
    history.append(record(1001));
    expect(history.at(1001).revision).toBe(1001);
    expect([history.first, history.last]).toEqual([1001, 1001]);
  });

  test('dropping from the front keeps the rest in place', () => {
    const history = historyTo(300);
    for (const first of [10, 64, 65, 200, 300, 301]) {
      history.dropBefore(first);
      expect(history.first).toBe(first);
      expect(() => history.at(first - 1)).toThrow(RangeError);
      if (first <= 300) expect(history.at(first).revision).toBe(first);
    }
    history.append(record(301));
    expect(history.at(301).revision).toBe(301);
  });

  test('keeps no more revisions than its limit', () => {
    const history = historyTo(300, { maxRevisions: 100 });
    history.trim(0);

    expect([history.first, history.last]).toEqual([201, 300]);
  });

  test('keeps many revisions for a short time and few for a long time', () => {
    const history = new History(0, { freshFor: 5000, maxAgedBytes: 3 * record(1, 0, 'x'.repeat(1000)).weight });
    for (let revision = 1; revision <= 10; revision++) history.append(record(revision, 1000, 'x'.repeat(1000)));
    history.trim(6000);
    expect(history.first).toBe(1);

    history.trim(6001);
    expect([history.first, history.last]).toEqual([8, 10]);
  });

  test('keeps revisions that are young enough', () => {
    const history = new History(0, { keepFor: 5000 });
    for (let revision = 1; revision <= 10; revision++) history.append(record(revision, revision * 1000));
    history.trim(10_000);

    expect(history.first).toBe(5);
    history.trim(1_000_000);
    expect(history.first).toBe(10); // the newest stays, whatever its age
  });

  test('keeps about its limit of bytes at most, however young they are', () => {
    const history = new History(0, { maxBytes: 100_000 });
    for (let revision = 1; revision <= 50; revision++) history.append(record(revision, 0, 'x'.repeat(9_000)));
    history.trim(0);

    expect(history.last - history.first + 1).toBe(10);
  });

  test('a fork shares the past and is independent from then on', () => {
    const history = historyTo(100);
    const fork = history.fork();
    history.append(record(101, 1));
    fork.append(record(101, 2));
    fork.append(record(102, 2));
    history.dropBefore(90);

    expect(history.at(101).timeMs).toBe(1);
    expect([fork.at(101).timeMs, fork.last, fork.at(1).revision]).toEqual([2, 102, 1]);
    expect(fork.at(50)).toBe(fork.at(50));
  });
});
