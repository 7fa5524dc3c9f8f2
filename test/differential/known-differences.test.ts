import { describe, expect, test } from 'vitest';
import { compareAnswers } from './compare.ts';
import { judge } from './known-differences.ts';

const head = { status: 200, headers: {} };

describe('compareAnswers()', () => {
  test('reports every difference, down to members, items and their order', () => {
    const want = { ...head, form: 'json', body: { kind: 'A', items: [1, { x: 1, y: 2 }], gone: true } };
    const got = { ...head, status: 201, form: 'json', body: { kind: 'B', items: [1, { y: 2, x: 1 }, 3] } };

    expect(compareAnswers(want, got)).toEqual([
      { place: 'status', want: 200, got: 201 },
      { place: 'body.kind', want: 'A', got: 'B' },
      { place: 'body.items[1] (order)', want: 'x y', got: 'y x' },
      { place: 'body.items[2]', want: undefined, got: 3 },
      { place: 'body.gone', want: true, got: undefined },
    ]);
  });
});

describe('judge()', () => {
  const differences = [
    { place: 'body.spec.priority', want: 0, got: undefined },
    { place: 'body.spec.priorityClassName', want: 'a', got: 'b' },
  ];
  const entry = (place: string): Parameters<typeof judge>[1][number] => ({
    case: 'a/b',
    step: 1,
    place,
    reason: 'why',
  });

  test('knows what is listed at its place or above it, and nothing beside it', () => {
    expect(judge(differences, [entry('body.spec.priority')]).unexpected).toEqual([differences[1]]);
    expect(judge(differences, [entry('body.spec')]).unexpected).toEqual([]);
    expect(judge(differences, [entry('answer')]).unexpected).toEqual([]);
  });

  test('never takes a failure of the server for a known difference', () => {
    const failure = { place: 'status', want: 201, got: 501 };

    expect(judge([failure], [entry('answer')]).unexpected).toEqual([failure]);
    expect(judge([{ ...failure, got: 405 }], [entry('answer')]).unexpected).toEqual([]);
  });

  test('finds entries that nothing differs for any more', () => {
    const listed = [entry('body.spec'), entry('body.status')];

    expect(judge(differences, listed).outdated).toEqual([listed[1]]);
    expect(judge([], [entry('answer')]).outdated).toHaveLength(1);
  });
});
