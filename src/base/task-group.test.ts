import { expect, test } from 'vitest';
import { aborted } from './tasks.ts';
import { TaskGroup } from './task-group.ts';

test('tasks may be added while others run, and all are over when the signal has aborted', async () => {
  const stop = new AbortController();
  const group = new TaskGroup(stop.signal);
  const ended: string[] = [];
  const start = (name: string): void =>
    group.start({
      run: async (signal) => {
        await aborted(signal);
        ended.push(name);
      },
    });
  start('first');
  group.start({ run: async () => undefined }); // over at once, which ends nothing
  const over = group.over();
  await Promise.resolve();
  start('later');
  stop.abort();
  await over;
  expect(ended).toEqual(['first', 'later']);
});

test('the first failure stops all, and is what the group fails with', async () => {
  const group = new TaskGroup(new AbortController().signal);
  const others: unknown[] = [];
  group.start({
    run: async (signal) => {
      await aborted(signal);
      others.push(signal.reason);
      throw signal.reason; // an answer to the abort, no failure of its own
    },
  });
  group.start({ run: () => Promise.reject(new Error('broken')) });
  await expect(group.over()).rejects.toThrow('broken');
  expect(others).toEqual([new Error('broken')]);
});
