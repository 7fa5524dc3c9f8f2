import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { TlsPair } from './testing/tls-pair.ts';
import { TurnWrites } from './turn-writes.ts';

/** An output that completes a write only when the test says so. */
class SlowOutput extends Writable {
  readonly written: Buffer[] = [];
  readonly #callbacks: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.written.push(Buffer.from(chunk));
    this.#callbacks.push(callback);
  }

  complete(): void {
    this.#callbacks.shift()?.();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

describe('TurnWrites', () => {
  test('writes everything of one turn at once', async () => {
    const output = new SlowOutput();
    const writes = new TurnWrites(output);
    for (let index = 0; index < 1000; index++) void writes.write(Buffer.from('head'), Buffer.from('body'));
    await turn();
    expect(output.written.map(String)).toEqual(['headbody'.repeat(1000)]);
  });

  test('copies: what its caller does with the memory afterwards changes nothing', async () => {
    const output = new SlowOutput();
    const writes = new TurnWrites(output);
    const memory = Buffer.from('right');
    void writes.write(memory);
    memory.fill('wrong');
    await turn();
    expect(output.written.map(String)).toEqual(['right']);
  });

  test('makes writers wait above 256 KiB, until one write of the waiting ones has completed', async () => {
    const output = new SlowOutput();
    const writes = new TurnWrites(output);
    expect(writes.write(Buffer.alloc(255 * 1024))).toBeUndefined();
    let hasRoom = false;
    const full = writes.write(Buffer.alloc(1024));
    void full?.then(() => (hasRoom = true));
    await turn();
    expect([hasRoom, writes.unsentBytes]).toEqual([false, 256 * 1024]);
    output.complete();
    await full;
    expect(writes.unsentBytes).toBe(128 * 1024);
  });

  test('writers do not wait for a connection that has ended', async () => {
    const output = new SlowOutput();
    const writes = new TurnWrites(output);
    const full = writes.write(Buffer.alloc(512 * 1024));
    output.destroy();
    await full;
    expect(writes.write(Buffer.from('a'))).toBeUndefined();
  });

  test('end sends what was written before', async () => {
    const output = new SlowOutput();
    const writes = new TurnWrites(output);
    void writes.write(Buffer.alloc(200_000, 'a'));
    void writes.write(Buffer.from('b'));
    writes.end(Buffer.from('c'));
    while (!output.writableFinished) {
      output.complete();
      await turn();
    }
    expect(String(Buffer.concat(output.written))).toBe(`${'a'.repeat(200_000)}bc`);
  });

  test('sends the same bytes over TLS, where it uses its memory again', async () => {
    using pair = await TlsPair.open();
    const writes = new TurnWrites(pair.near);
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    const reading = (async () => {
      for await (const chunk of pair.far) received.update(chunk as Buffer);
    })();
    const piece = Buffer.alloc(50_000);
    for (let index = 0; index < 300; index++) {
      piece.fill(index % 251);
      sent.update(piece);
      await writes.write(piece);
      if (index % 7 === 0) await turn();
    }
    writes.end();
    await reading;
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });
});
