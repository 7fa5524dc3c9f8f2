import { expect, test } from 'vitest';
import { type EngineRoom, YoungSpaceLimit } from './young-space.ts';

const MIB = 1024 * 1024;

test('the young generation grows up to 32 MiB, also after it has shrunk, and without limit in the end', () => {
  let collected = (): void => undefined;
  let bytes = MIB;
  const allowed: boolean[] = [];
  const room: EngineRoom = {
    bytes: () => bytes,
    mayGrow: (isAllowed) => void allowed.push(isAllowed),
    onCollected: (listener) => {
      collected = listener;
      return { [Symbol.dispose]: () => (collected = () => undefined) };
    },
  };
  {
    using _limit = new YoungSpaceLimit(room);
    for (bytes of [2, 16, 32, 32, 1, 8, 32].map((mib) => mib * MIB)) collected();
  }
  bytes = MIB;
  collected();
  expect(allowed).toEqual([false, false, true, false, true]);
});
