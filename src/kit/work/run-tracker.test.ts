import { expect, test } from 'vitest';
import { RunTracker, unfinished } from './run-tracker.ts';

test('runs that have not ended are named, and at most five of them', async () => {
  const tracker = new RunTracker();
  expect(unfinished(tracker)).toBe('work is still under way');

  let end = (): void => undefined;
  const ending = new Promise<void>((resolve) => void (end = resolve));
  const begin = (key: string): Promise<void> =>
    tracker.during(tracker.begin({ controller: 'websites', key, why: [], causes: [], workers: {} }), () => ending);
  const runs = [begin('default/a')];
  expect(unfinished(tracker)).toBe('websites default/a is still under way');
  runs.push(...['b', 'c', 'd', 'e', 'f', 'g'].map((name) => begin(`default/${name}`)));
  expect(unfinished(tracker)).toBe(
    'websites default/a, websites default/b, websites default/c, websites default/d, websites default/e and 2 more are still under way',
  );
  end();
  await Promise.all(runs);
  expect(unfinished(tracker)).toBe('work is still under way');
});
