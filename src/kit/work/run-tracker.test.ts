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

test('code that runs inside runs of two trackers belongs to one run of each', async () => {
  const [inner, outer] = [new RunTracker(), new RunTracker()];
  const started = (tracker: RunTracker, key: string) =>
    tracker.begin({ controller: 'websites', key, why: [], causes: [], workers: {} });
  const seen = () => [outer.current?.key, inner.current?.key];

  await outer.during(started(outer, 'a'), async () => {
    await inner.during(started(inner, 'b'), async () => {
      expect(seen()).toEqual(['a', 'b']);
      await outer.during(started(outer, 'c'), async () => {
        await Promise.resolve();
        expect(seen()).toEqual(['c', 'b']);
      });
      expect(seen()).toEqual(['a', 'b']);
    });
    expect(seen()).toEqual(['a', undefined]);
  });
  expect(seen()).toEqual([undefined, undefined]);
});
