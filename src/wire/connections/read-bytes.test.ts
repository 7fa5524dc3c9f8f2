import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { duplexPair } from './duplex-pair.ts';
import { readBytes } from './read-bytes.ts';

test('resolves at the end, after what the reader still does with the last bytes', async () => {
  const [near, far] = duplexPair();
  let done = '';
  const reading = readBytes(near, async (bytes) => {
    const text = String(bytes);
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => void setImmediate(resolve));
    done += text;
  });
  far.write('one, ');
  far.end('two');
  await reading;
  expect(done).toBe('one, two');
});

test('rejects with what the reader throws, and reads no more', async () => {
  const [near, far] = duplexPair();
  let calls = 0;
  const reading = readBytes(near, () => {
    calls += 1;
    throw new Error('not understood');
  });
  far.write('a');
  await expect(reading).rejects.toThrow('not understood');
  far.write('b');
  await new Promise((resolve) => void setImmediate(resolve));
  expect(calls).toBe(1);
  expect(near.destroyed).toBe(false);
});

test('rejects when the connection closes before its end', async () => {
  const [near, far] = duplexPair();
  const reading = readBytes(near, () => undefined);
  far.destroy();
  await expect(reading).rejects.toThrow('Premature close');
  await expect(readBytes(near, () => undefined)).rejects.toThrow('Premature close');
});

test('gives the bytes as they are', async () => {
  const [near, far] = duplexPair();
  const parts: Buffer[] = [];
  const reading = readBytes(near, (bytes) => void parts.push(Buffer.from(bytes)) as undefined);
  for (let index = 0; index < 1000; index++) far.write(`${index},`);
  far.end();
  await reading;
  expect(String(Buffer.concat(parts))).toBe(Array.from({ length: 1000 }, (_unused, index) => `${index},`).join(''));
});
