import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { readBytes } from './read-bytes.ts';
import { TlsPair } from './testing/tls-pair.ts';

const LARGE = Buffer.from(Array.from({ length: 400_000 }, (_unused, index) => (index * 31 + (index >> 8)) & 0xff));

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('as a stream', () => {
  test('it gives everything, in order, with backpressure, and ends', async () => {
    using pair = await TlsPair.open();
    pair.far.end(LARGE);
    const parts: Buffer[] = [];
    for await (const chunk of pair.near) {
      parts.push(chunk as Buffer);
      await new Promise((resolve) => void setImmediate(resolve));
      expect(pair.near.readableLength).toBeLessThanOrEqual(128 * 1024);
    }
    expect(digest(Buffer.concat(parts))).toBe(digest(LARGE));
  });

  test('what was read does not change when more arrives', async () => {
    using pair = await TlsPair.open();
    pair.far.write('first');
    const [first] = (await once(pair.near, 'data')) as [Buffer];
    pair.far.write('other');
    await once(pair.near, 'data');
    expect(String(first)).toBe('first');
  });

  test('it writes, ends and closes with the connection', async () => {
    using pair = await TlsPair.open();
    const parts: Buffer[] = [];
    pair.far.on('data', (chunk: Buffer) => parts.push(chunk));
    pair.near.write('a');
    pair.near.cork();
    pair.near.write('b');
    pair.near.write('c');
    pair.near.uncork();
    pair.near.resume().end('d');
    await once(pair.near, 'close');
    expect(String(Buffer.concat(parts))).toBe('abcd');
  });

  test('it closes when the other side does, also when nothing reads it', async () => {
    using pair = await TlsPair.open();
    const closed = once(pair.near, 'close');
    pair.far.resume().end();
    await closed;
    expect(pair.near.errored).toBeNull();
  });
});

describe('read directly', () => {
  test('gives the bytes in the same memory, in order, however often the reader makes it wait', async () => {
    using pair = await TlsPair.open();
    pair.far.end(LARGE);
    const sum = createHash('sha256');
    const memory = new Set<ArrayBufferLike>();
    await readBytes(pair.near, (bytes) => {
      sum.update(bytes);
      memory.add(bytes.buffer);
      return memory.size % 2 === 0 ? undefined : new Promise((resolve) => void setImmediate(resolve));
    });
    expect(sum.digest('hex')).toBe(digest(LARGE));
    expect(memory.size).toBeLessThanOrEqual(3); // the buffer for reading, and the one for what arrives meanwhile
  });

  test('begins with what the stream has received before', async () => {
    using pair = await TlsPair.open();
    pair.near.unshift(Buffer.from('before, '));
    pair.far.end('after');
    let text = '';
    await readBytes(pair.near, (bytes) => void (text += String(bytes)) as undefined);
    expect(text).toBe('before, after');
  });

  test('holds the sender back while the reader waits', async () => {
    using pair = await TlsPair.open();
    let go = (): void => undefined;
    let bytes = 0;
    const reading = readBytes(pair.near, (piece) => {
      bytes += piece.length;
      return bytes === piece.length ? new Promise((resolve) => (go = resolve)) : undefined;
    });
    const size = 64 * 1024 * 1024;
    let isSent = false;
    pair.far.end(Buffer.alloc(size), () => (isSent = true));
    await once(pair.near, 'pause');
    for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => void setImmediate(resolve));
    expect(isSent).toBe(false);
    go();
    await reading;
    expect(bytes).toBe(size);
  });

  test('rejects when the connection breaks', async () => {
    using pair = await TlsPair.open();
    const reading = readBytes(pair.near, () => undefined);
    pair.far.destroy();
    pair.near.secured.destroy(new Error('lost'));
    await expect(reading).rejects.toThrow('lost');
  });
});
