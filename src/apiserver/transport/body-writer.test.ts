import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'vitest';
import { Turns, VirtualClock } from '../../base/index.ts';
import { BodyWriter } from './body-writer.ts';
import type { Output } from './exchange.ts';

const MAX = 100_000;

function writerTo(output: Output, clock = new VirtualClock(), onStall = (): void => undefined): BodyWriter {
  return new BodyWriter(output, {
    clock,
    turns: new Turns(),
    maxBufferedBytes: MAX,
    stallTimeoutMs: 1_000,
    onWait: () => undefined,
    onStall,
  });
}

test('other requests run while a slow body is made', async () => {
  const clock = new VirtualClock();
  let nowMs = 0;
  clock.monotonic = () => nowMs;
  const output = new PassThrough();
  output.resume();
  const order: string[] = [];
  function* pieces(): Generator<Uint8Array> {
    for (const name of ['first', 'second', 'third', 'fourth']) {
      order.push(name);
      nowMs += 3;
      yield Buffer.from(name);
    }
  }
  const written = writerTo(output, clock).writeAll(pieces());
  setImmediate(() => order.push('others'));
  await written;

  assert.deepEqual(order, ['first', 'second', 'third', 'others', 'fourth']);
});

test('buffers at most the limit and one piece', async () => {
  const output = new PassThrough();
  const pieces = Array.from({ length: 1_000 }, (_unused, index) => Buffer.alloc(1_000, index));
  const writer = writerTo(output);
  let most = 0;
  const written = writer.writeAll(pieces).then(() => writer.end());
  const chunks: Buffer[] = [];
  for await (const chunk of output) {
    most = Math.max(most, output.writableLength);
    chunks.push(chunk as Buffer);
  }
  await written;
  assert.ok(Buffer.concat(chunks).equals(Buffer.concat(pieces)));
  assert.ok(most <= MAX + 1_000, `${most} bytes waited`);
  assert.equal(writer.bytes, 1_000_000);
  assert.equal(writer.isEnded, true);
});

test('writes one huge piece in parts', async () => {
  const output = new PassThrough();
  const writer = writerTo(output);
  const piece = Buffer.alloc(2_000_000, 'x');
  const written = Promise.resolve(writer.write(piece)).then(() => writer.end());
  let most = 0;
  let bytes = 0;
  for await (const chunk of output) {
    most = Math.max(most, output.writableLength);
    bytes += (chunk as Buffer).length;
  }
  await written;
  assert.equal(bytes, 2_000_000);
  assert.ok(most < 1_000_000, `${most} bytes waited`);
});

test('reports a client that stops reading once, and not a slow one', async () => {
  const clock = new VirtualClock();
  const output = new PassThrough({ highWaterMark: 16 * 1024 });
  let stalls = 0;
  const writer = writerTo(output, clock, () => (stalls += 1));
  const written = writer.writeAll(Array.from({ length: 400 }, () => Buffer.alloc(1_000)));
  for (let read = 0; read < 3; read++) {
    output.read(20_000);
    await clock.advance('900ms');
  }
  assert.equal(stalls, 0);
  await clock.advance('10s');
  assert.equal(stalls, 1);
  output.destroy();
  await written;
  assert.equal(writer.isClosed, true);
  assert.equal(writer.isEnded, false);
});

test('reports a client that does not read the last bytes', async () => {
  const clock = new VirtualClock();
  const output = new PassThrough({ highWaterMark: 16 * 1024 });
  let stalls = 0;
  const writer = writerTo(output, clock, () => (stalls += 1));
  await writer.writeAll(Array.from({ length: 50 }, () => Buffer.alloc(1_000)));
  writer.end();
  await clock.advance('10s');
  assert.equal(stalls, 1);
});

test('drops writes after the client left', async () => {
  const output = new PassThrough();
  const writer = writerTo(output);
  output.destroy();
  await new Promise((resolve) => output.once('close', resolve));
  await writer.write(Buffer.from('x'));
  await writer.writeAll([Buffer.from('x')]);
  writer.end();
  assert.equal(writer.bytes, 0);
  assert.equal(writer.isEnded, false);
});

test('makes pieces while there is room, and only a few before the client begins to read', async () => {
  const output = new PassThrough({ highWaterMark: 16 * 1024 });
  const writer = writerTo(output);
  let taken = 0;
  const pieces = (function* (): Generator<Uint8Array> {
    for (; taken < 1_000; taken++) yield Buffer.alloc(1_000);
  })();
  const written = writer.writeAll(pieces);

  assert.ok(taken < 100, `${taken} taken before anything was read`);
  output.resume();
  await written;
  assert.equal(taken, 1_000);
});

test('stops at once when the output is destroyed but has not emitted close yet', async () => {
  const output = new EventEmitter() as EventEmitter & Output;
  const written: Uint8Array[] = [];
  const destroyed = { writableLength: 2 * MAX, destroyed: true, cork: ignore, uncork: ignore, end: ignore };
  Object.assign(output, destroyed, { write: (piece: Uint8Array) => written.push(piece) > 0 });
  const writer = writerTo(output);

  await writer.writeAll([Buffer.from('x'), Buffer.from('y')]);
  await writer.write(Buffer.alloc(MAX));

  assert.deepEqual(written, []);
});

function ignore(): void {
  // nothing to do
}
