import { expect, test } from 'vitest';
import { aborted } from './tasks.ts';
import { TaskGroup } from './task-group.ts';

test('tasks may be added while others run, and all have ended after the signal aborts', async () => {
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
  group.start({ run: async () => undefined }); // ends at once, which does not end the group
  const over = group.over();
  await Promise.resolve();
  start('later');
  stop.abort();
  await over;
  expect(ended).toEqual(['first', 'later']);
});

test('the first failure stops all tasks and rejects the group', async () => {
  const group = new TaskGroup(new AbortController().signal);
  const others: unknown[] = [];
  group.start({
    run: async (signal) => {
      await aborted(signal);
      others.push(signal.reason);
      throw signal.reason; // caused by the abort, so not a failure
    },
  });
  group.start({ run: () => Promise.reject(new Error('broken')) });
  await expect(group.over()).rejects.toThrow('broken');
  expect(others).toEqual([new Error('broken')]);
});
