import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CryptoRandom } from '../../base/index.ts';
import { boardReader, RevisionBoard } from './revision-board.ts';

test('reads the last revision, and undefined before the first one or during a write', () => {
  using board = RevisionBoard.open(new CryptoRandom()) as RevisionBoard;
  const read = boardReader(board.fd);
  expect(read()).toBeUndefined();
  for (const revision of [0, 1, 255, 256, 2 ** 40]) {
    board.say(revision);
    expect(read()).toBe(revision);
  }
  writeSync(board.fd, Buffer.alloc(8), 0, 8, 0);
  expect(read()).toBeUndefined();
  board.say(7);
  expect(read()).toBe(7);
});

test('reads undefined from an empty file', () => {
  const fd = openSync('/dev/null', 'r');
  expect(boardReader(fd)()).toBeUndefined();
  closeSync(fd);
});
