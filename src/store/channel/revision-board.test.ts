import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CryptoRandom } from '../../base/index.ts';
import { boardReader, RevisionBoard } from './revision-board.ts';

test('tells the last revision, and nothing before there was one or while one is half written', () => {
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

test('an empty file tells nothing', () => {
  const fd = openSync('/dev/null', 'r');
  expect(boardReader(fd)()).toBeUndefined();
  closeSync(fd);
});
