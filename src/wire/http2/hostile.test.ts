import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { settingsFrame } from './control-frames.ts';
import { CODE, FLAG, FRAME, SETTING } from './protocol.ts';
import type { ServerStream } from './server-stream.ts';
import {
  answerWith,
  END,
  frame,
  GET,
  POST,
  PREFACE,
  RawClient,
  type RawClientOptions,
  uint32,
} from './testing/raw-client.ts';

const get = (stream: number): Buffer => frame(FRAME.headers, stream, GET, END);
const post = (stream: number): Buffer => frame(FRAME.headers, stream, POST, FLAG.endHeaders);
const repeat = (times: number, bytes: Uint8Array): Buffer => Buffer.concat(Array.from({ length: times }, () => bytes));

async function said(frames: Uint8Array, options: RawClientOptions = {}): Promise<RawClient> {
  const client = new RawClient(options);
  client.send(frames);
  await client.settle();
  return client;
}

describe('floods of frames without content end the connection', () => {
  const pings = repeat(20_000, frame(FRAME.ping, 0, Buffer.alloc(8)));
  test.each<[string, Buffer]>([
    ['pings (CVE-2019-9512)', pings],
    ['answers to pings that were never sent', repeat(20_000, frame(FRAME.ping, 0, Buffer.alloc(8), FLAG.ack))],
    ['settings (CVE-2019-9515)', repeat(20_000, settingsFrame([]))],
    ['priorities (CVE-2019-9513)', repeat(20_000, frame(FRAME.priority, 1, [0, 0, 0, 3, 0]))],
    ['empty data (CVE-2019-9518)', Buffer.concat([post(1), repeat(20_000, frame(FRAME.data, 1, []))])],
    ['data that is only padding', Buffer.concat([post(1), repeat(20_000, frame(FRAME.data, 1, [0], FLAG.padded))])],
    ['data byte by byte', Buffer.concat([post(1), repeat(20_000, frame(FRAME.data, 1, [1]))])],
    ['frames of extensions', repeat(20_000, frame(0x42, 0, []))],
    ['windows opened by a byte', repeat(20_000, frame(FRAME.windowUpdate, 0, uint32(1)))],
    [
      'resets of a stream that is over',
      Buffer.concat([get(1), repeat(20_000, frame(FRAME.resetStream, 1, uint32(8)))]),
    ],
    [
      'data for a stream that was reset',
      Buffer.concat([post(1), frame(FRAME.resetStream, 1, uint32(8)), repeat(20_000, frame(FRAME.data, 1, [1]))]),
    ],
  ])('%s', async (_name, flood) => {
    const client = await said(flood);
    expect(client.goaway).toBe(CODE.enhanceYourCalm);
  });

  test('but not at a low rate', async () => {
    const clock = new VirtualClock();
    const client = new RawClient({ clock });
    for (let minute = 0; minute < 20; minute++) {
      client.send(repeat(1_000, frame(FRAME.ping, 0, Buffer.alloc(8))));
      await client.settle();
      await clock.advance('1m');
    }
    expect(client.goaway).toBeUndefined();
    expect(client.framesOf(FRAME.ping)).toHaveLength(20_000);
  });

  test('sooner for a client that does not read the responses', async () => {
    const client = await said(repeat(5_000, frame(FRAME.ping, 0, Buffer.alloc(8))), { isDeaf: true });
    expect(client.connection.isOver).toBe(true);
  });
});

describe('headers', () => {
  test.each<[string, Buffer, number]>([
    [
      'without end (CVE-2024-27316)',
      Buffer.concat([
        frame(FRAME.headers, 1, GET),
        repeat(1_000, frame(FRAME.continuation, 1, Buffer.alloc(1024, 0x90))),
      ]),
      CODE.enhanceYourCalm,
    ],
    [
      'in empty frames without end',
      Buffer.concat([frame(FRAME.headers, 1, GET), repeat(100, frame(FRAME.continuation, 1, []))]),
      CODE.enhanceYourCalm,
    ],
    [
      'that are one name again and again',
      frame(FRAME.headers, 1, Buffer.concat([GET, Buffer.alloc(60_000, 0x90)]), END),
      CODE.enhanceYourCalm,
    ],
    [
      'that another frame interrupts',
      Buffer.concat([frame(FRAME.headers, 1, GET), frame(FRAME.ping, 0, Buffer.alloc(8))]),
      CODE.protocolError,
    ],
    [
      'that another stream interrupts',
      Buffer.concat([frame(FRAME.headers, 1, GET), frame(FRAME.continuation, 3, [])]),
      CODE.protocolError,
    ],
    [
      'with a table larger than allowed',
      frame(FRAME.headers, 1, [0x3f, 0xe2, 0x1f, ...GET], END),
      CODE.compressionError,
    ],
    [
      'with a number without end',
      frame(FRAME.headers, 1, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], END),
      CODE.compressionError,
    ],
    ['with an index that is not there', frame(FRAME.headers, 1, [0xff, 0x00], END), CODE.compressionError],
    [
      'with a string longer than the block',
      frame(FRAME.headers, 1, [0x00, 0x7f, 0x10, 0x61], END),
      CODE.compressionError,
    ],
    ['with more padding than bytes', frame(FRAME.headers, 1, [9, ...GET], END | FLAG.padded), CODE.protocolError],
    ['of a stream of the server', frame(FRAME.headers, 2, GET, END), CODE.protocolError],
    ['of a stream that comes late', Buffer.concat([get(5), get(3)]), CODE.protocolError],
  ])('%s end the connection', async (_name, frames, code) => {
    expect((await said(frames)).goaway).toBe(code);
  });

  test('that decompress to far more than their size: the stream is reset, and later headers are still decoded (HPACK bomb)', async () => {
    const bomb = Buffer.concat([
      GET,
      Buffer.from([0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]),
      Buffer.alloc(4_000, 'x'),
      Buffer.alloc(300, 0xbe),
    ]);
    const client = await said(
      Buffer.concat([frame(FRAME.headers, 1, bomb, END), frame(FRAME.headers, 3, [...GET, 0xbe], END)]),
    );
    const [first, second] = client.served as [ServerStream, ServerStream];
    expect(first.headers.isTooLarge).toBe(true);
    expect(first.headers.fields.join('').length).toBeLessThanOrEqual(64 * 1024);
    expect(second.headers.value('x')).toHaveLength(4_000);
  });

  test.each<[string, readonly number[]]>([
    ['a name with capitals', [...GET, 0x00, 1, 0x58, 1, 0x61]],
    ['a line break in a value', [...GET, 0x00, 1, 0x78, 1, 0x0a]],
    ['a line break in a value that is in the table', [...GET, 0x40, 1, 0x78, 1, 0x0a]],
    ['a connection header', [...GET, 0x00, 10, ...Buffer.from('connection'), 1, 0x61]],
    ['no path', [0x82, 0x87]],
    ['an empty path', [0x82, 0x87, 0x04, 0]],
    ['two paths', [...GET, 0x84]],
    ['a method behind headers', [0x84, 0x87, 0x00, 1, 0x78, 1, 0x61, 0x82]],
    ['a status', [...GET, 0x88]],
    ['a length that is none', [...GET, 0x0f, 13, 2, 0x2d, 0x31]],
    ['a body that is not as long as it says', [...GET, 0x0f, 13, 1, 0x35]],
  ])('with %s end their stream', async (_name, headers) => {
    const client = await said(Buffer.concat([frame(FRAME.headers, 1, headers, END), get(3)]));
    expect(client.resetOf(1)).toBe(CODE.protocolError);
    expect(client.served.map(({ id }) => id)).toEqual([3]);
    expect(client.takenBack).toBe(1);
  });
});

describe('invalid frames end the connection', () => {
  test.each<[string, Buffer, number]>([
    ['a frame larger than announced', frame(FRAME.data, 1, Buffer.alloc(300_000)), CODE.frameSizeError],
    ['a ping of seven bytes', frame(FRAME.ping, 0, Buffer.alloc(7)), CODE.frameSizeError],
    ['a ping on a stream', frame(FRAME.ping, 1, Buffer.alloc(8)), CODE.protocolError],
    ['settings on a stream', frame(FRAME.settings, 1, []), CODE.protocolError],
    ['half a setting', frame(FRAME.settings, 0, [0, 1, 0]), CODE.frameSizeError],
    ['an acknowledgement with settings', frame(FRAME.settings, 0, Buffer.alloc(6), FLAG.ack), CODE.frameSizeError],
    [
      'hundreds of settings at once',
      settingsFrame(Array.from({ length: 200 }, () => [SETTING.initialWindowSize, 1])),
      CODE.enhanceYourCalm,
    ],
    ['a window beyond 31 bits', settingsFrame([[SETTING.initialWindowSize, 2 ** 31]]), CODE.flowControlError],
    ['a tiny frame size', settingsFrame([[SETTING.maxFrameSize, 100]]), CODE.protocolError],
    ['data on no stream', frame(FRAME.data, 0, [1]), CODE.protocolError],
    ['data on an idle stream', frame(FRAME.data, 7, [1]), CODE.protocolError],
    ['a reset of an idle stream', frame(FRAME.resetStream, 7, uint32(8)), CODE.protocolError],
    ['a window of an idle stream', frame(FRAME.windowUpdate, 7, uint32(8)), CODE.protocolError],
    ['a window opened by nothing', frame(FRAME.windowUpdate, 0, uint32(0)), CODE.protocolError],
    ['a window opened too far', frame(FRAME.windowUpdate, 0, uint32(2 ** 31 - 1)), CODE.flowControlError],
    ['a promise', frame(FRAME.pushPromise, 1, Buffer.alloc(4)), CODE.protocolError],
    ['a continuation of nothing', frame(FRAME.continuation, 1, []), CODE.protocolError],
    ['padding without a length', Buffer.concat([post(1), frame(FRAME.data, 1, [], FLAG.padded)]), CODE.frameSizeError],
    ['more padding than data', Buffer.concat([post(1), frame(FRAME.data, 1, [5, 1], FLAG.padded)]), CODE.protocolError],
  ])('%s', async (_name, frames, code) => {
    const client = await said(frames);
    expect(client.goaway).toBe(code);
    await client.settle();
    expect(client.isClosed || client.connection.isOver).toBe(true);
  });

  test('a first frame that is not SETTINGS', async () => {
    expect((await said(Buffer.concat([PREFACE, get(1)]), { settings: 'none' })).goaway).toBe(CODE.protocolError);
  });

  test('a preface that is another protocol', async () => {
    expect((await said(Buffer.from('GET / HTTP/1.1\r\n\r\n'), { settings: 'none' })).goaway).toBe(CODE.protocolError);
  });

  test('more data than the windows allow resets the stream or, with the connection’s window, ends the connection', async () => {
    const client = await said(
      Buffer.concat([post(1), frame(FRAME.data, 1, Buffer.alloc(256 * 1024)), frame(FRAME.data, 1, [1])]),
    );
    expect(client.resetOf(1)).toBe(CODE.flowControlError);
    expect(client.goaway).toBeUndefined();
  });
});

test('streams that are cancelled at once are counted and never served (rapid reset, CVE-2023-44487)', async () => {
  const client = await said(
    Buffer.concat(
      Array.from({ length: 50 }, (_, index) => [
        get(2 * index + 1),
        frame(FRAME.resetStream, 2 * index + 1, uint32(8)),
      ]).flat(),
    ),
  );
  expect(client.served).toEqual([]);
  expect(client.takenBack).toBe(50);
});

test('streams that a client makes the server reset are counted as well (CVE-2025-8671)', async () => {
  const closed: boolean[] = [];
  const client = await said(get(1), { serve: (stream) => stream.on('close', () => closed.push(stream.isFlushed)) });
  client.send(frame(FRAME.windowUpdate, 1, uint32(0)));
  await client.settle();
  expect(client.resetOf(1)).toBe(CODE.protocolError);
  expect(closed).toEqual([false]);
});

test('more streams than allowed are refused; too many before the settings are known end the connection', async () => {
  const client = await said(Buffer.concat([get(1), get(3), get(5)]), { maxStreams: 2 });
  expect(client.served).toHaveLength(2);
  expect(client.resetOf(5)).toBe(CODE.refusedStream);
  expect(client.takenBack).toBe(1);
  const hasty = await said(Buffer.concat([PREFACE, settingsFrame([]), get(1), get(3), get(5)]), {
    settings: 'none',
    maxStreams: 2,
  });
  expect(hasty.goaway).toBe(CODE.enhanceYourCalm);
});

test('data for a stream that the server has ended is ignored, and the connection’s window stays correct', async () => {
  const client = await said(post(1), { serve: (stream) => stream.reset(CODE.internalError) });
  for (let count = 0; count < 8; count++) {
    client.send(frame(FRAME.data, 1, Buffer.alloc(128 * 1024)));
    await client.settle();
  }
  expect(client.goaway).toBeUndefined();
  const opened = client.framesOf(FRAME.windowUpdate, 0).reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
  expect(opened).toBe(256 * 1024 - 65_535 + 8 * 128 * 1024);
});

test('a client that opens its window byte by byte gets its response slowly, and is then disconnected (CVE-2019-9511)', async () => {
  const client = await said(get(1), {
    serve: answerWith(Buffer.alloc(20_000)),
    settings: [[SETTING.initialWindowSize, 0]],
  });
  expect(client.framesOf(FRAME.headers, 1)).toHaveLength(1);
  expect(client.body(1)).toHaveLength(0);
  for (let count = 0; count < 15 && client.goaway === undefined; count++) {
    for (let byte = 0; byte < 1_000; byte++) client.send(frame(FRAME.windowUpdate, 1, uint32(1)));
    await client.settle();
  }
  expect(client.goaway).toBe(CODE.enhanceYourCalm);
});

test('a client that opens both windows again after each 4 KiB reads 60 MB on one connection, as Go does', async () => {
  const total = 60 * 1024 * 1024;
  const client = new RawClient({ serve: answerWith(Buffer.alloc(total)) });
  const refresh = Buffer.concat([
    frame(FRAME.windowUpdate, 0, uint32(4096)),
    frame(FRAME.windowUpdate, 1, uint32(4096)),
  ]);
  client.send(get(1));
  await client.settle();
  for (let round = 0; round < total / 4096 / 8; round++) {
    client.send(repeat(8, refresh));
    await client.settle();
  }
  expect(client.goaway).toBeUndefined();
});

test('a stream without a window delays no other stream', async () => {
  const client = await said(get(1), {
    serve: answerWith(Buffer.alloc(1_000)),
    settings: [[SETTING.initialWindowSize, 0]],
  });
  client.send(settingsFrame([[SETTING.initialWindowSize, 600]]), get(3), frame(FRAME.windowUpdate, 3, uint32(400)));
  await client.settle();
  expect(client.body(1)).toHaveLength(600);
  expect(client.body(3)).toHaveLength(1_000);
  client.send(settingsFrame([[SETTING.initialWindowSize, 0]]), frame(FRAME.windowUpdate, 1, uint32(500)));
  await client.settle();
  expect(client.body(1)).toHaveLength(600);
  client.send(frame(FRAME.windowUpdate, 1, uint32(500)));
  await client.settle();
  expect(client.body(1)).toHaveLength(1_000);
});
