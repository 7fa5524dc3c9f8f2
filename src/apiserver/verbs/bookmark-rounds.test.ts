import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { BookmarkRounds } from './bookmark-rounds.ts';

describe('bookmark rounds', () => {
  test('all members get bookmarks once a minute, with one request to the store, and without members there is none', async () => {
    const clock = new VirtualClock();
    let questions = 0;
    const rounds = new BookmarkRounds(clock, { requestProgress: async () => void (questions += 1) });
    const due: string[] = [];
    await clock.advance('10m');
    expect([questions, clock.pending]).toEqual([0, 0]);

    using first = rounds.join(() => due.push('first'));
    using second = rounds.join(() => due.push('second'));
    await clock.advance('2m');
    expect([questions, due]).toEqual([2, ['first', 'second', 'first', 'second']]);

    first[Symbol.dispose]();
    second[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });

  test('a store that cannot answer is asked again in the next round', async () => {
    const clock = new VirtualClock();
    let questions = 0;
    const rounds = new BookmarkRounds(clock, {
      requestProgress: () => {
        questions += 1;
        return Promise.reject(new Error('closed'));
      },
    });
    using _member = rounds.join(() => undefined);

    await clock.advance('3m');

    expect(questions).toBe(3);
  });
});
