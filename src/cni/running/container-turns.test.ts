import { expect, test } from 'vitest';
import { ContainerTurns } from './container-turns.ts';

interface Held {
  readonly work: () => Promise<void>;
  end(): void;
}

function held(log: string[], name: string): Held {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async (): Promise<void> => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
  };
  return { work, end: () => end() };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('work of one container waits for its turn, work of others does not, and some runs alone', async () => {
  const turns = new ContainerTurns();
  const log: string[] = [];
  const [a1, a2, b1, gc, b2] = ['a1', 'a2', 'b1', 'gc', 'b2'].map((name) => held(log, name)) as [
    Held,
    Held,
    Held,
    Held,
    Held,
  ];
  const all = [turns.of('a', a1.work), turns.of('a', a2.work), turns.of('b', b1.work), turns.alone(gc.work)];
  all.push(turns.of('b', b2.work));

  await turn();
  expect(log).toEqual(['a1 begins', 'b1 begins']);
  for (const each of [a1, b1, a2]) {
    each.end();
    await turn();
  }
  expect(log.slice(2)).toEqual(['a1 ends', 'a2 begins', 'b1 ends', 'a2 ends', 'gc begins']);
  gc.end();
  b2.end();
  await Promise.all(all);
  expect(log.slice(7)).toEqual(['gc ends', 'b2 begins', 'b2 ends']);
});

test('work that fails gives way to the next', async () => {
  const turns = new ContainerTurns();
  await expect(turns.of('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.of('a', () => Promise.resolve(1))).toBe(1);
});
