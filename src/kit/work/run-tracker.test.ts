import { expect, test } from 'vitest';
import { RunTracker, unfinished } from './run-tracker.ts';

test('runs that have not ended are named', async () => {
  const tracker = new RunTracker();
  expect(unfinished(tracker)).toBe('work');

  let end = (): void => undefined;
  const ending = new Promise<void>((resolve) => void (end = resolve));
  const runs = ['default/a', 'default/b'].map((key) =>
    tracker.during(tracker.begin({ controller: 'websites', key, why: [], causes: [], workers: {} }), () => ending),
  );
  expect(unfinished(tracker)).toBe('websites default/a, websites default/b');
  end();
  await Promise.all(runs);
  expect(unfinished(tracker)).toBe('work');
});
