import { expect, test } from 'vitest';
import { KeyedTurns } from './keyed-turns.ts';

test('work of one key is done in order, also after a failure, and that of another key beside it', async () => {
  const turns = new KeyedTurns();
  const done: string[] = [];
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const first = turns.take('a', async () => {
    await opened;
    done.push('a1');
    throw new Error('failed');
  });
  const second = turns.take('a', async () => void done.push('a2'));
  await turns.take('b', async () => void done.push('b'));
  open();
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(done).toEqual(['b', 'a1', 'a2']);
});
