import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { joinedChunks } from './joined-chunks.ts';

test('small pieces that arrive in one turn of the event loop are joined, and nothing is lost', async () => {
  const source = new PassThrough({ highWaterMark: 1024 * 1024 });
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`);
  let written = 0;
  const write = (): void => {
    for (const line of lines.slice(written, written + 100)) process.nextTick(() => source.write(line));
    written += 100;
    if (written < lines.length) setImmediate(write);
    else setImmediate(() => source.end());
  };
  write();
  const pieces: Uint8Array[] = [];
  for await (const piece of joinedChunks(source)) pieces.push(piece);
  expect(Buffer.concat(pieces).toString()).toBe(lines.join(''));
  expect(pieces.length).toBeLessThan(100);
});
