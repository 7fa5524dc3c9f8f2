import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { settingsFrame } from './control-frames.ts';
import { CODE, DEFAULT_WINDOW_BYTES, FLAG, FRAME, SETTING } from './protocol.ts';
import type { ServerStream } from './server-stream.ts';
import { answerWith, END, frame, GET, POST, RawClient, type RawClientOptions, uint32 } from './testing/raw-client.ts';

const get = (stream: number): Buffer => frame(FRAME.headers, stream, GET, END);
const post = (stream: number): Buffer => frame(FRAME.headers, stream, POST, FLAG.endHeaders);

/** Node's client connected to a `ServerConnection`. */
function nodeClient(serve: (stream: ServerStream) => void): { session: ClientHttp2Session; raw: RawClient } {
  const raw = new RawClient({ settings: 'none', isDeaf: true, serve });
  return { session: connect('http://localhost', { createConnection: () => raw.socket }), raw };
}

async function answerOf(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: Uint8Array,
): Promise<{ head: IncomingHttpHeaders; body: Buffer }> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [[head], chunks] = await Promise.all([once(stream, 'response'), stream.toArray()]);
  return { head: head as IncomingHttpHeaders, body: Buffer.concat(chunks) };
}

describe('Node’s client', () => {
  const name = fc.stringMatching(/^x-[a-z0-9-]{1,20}$/);
  const value = fc.stringMatching(/^[!-~]([ -~]{0,300}[!-~])?$/);

  test('gets all its headers back', async () => {
    const { session } = nodeClient((stream) => {
      const { fields } = stream.headers;
      const sent = fields.flatMap((text, at) =>
        at % 2 === 0 && text.startsWith('x-') ? [[text, fields[at + 1]]] : [],
      );
      stream.respond({ code: 200, headers: Object.fromEntries(sent) });
      stream.end();
    });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 20 }), async (headers) => {
        const { head } = await answerOf(session, { ':path': '/', ...headers });
        const received = Object.entries(head).filter(([key]) => key.startsWith('x-'));
        expect(Object.fromEntries(received)).toEqual({ ...headers });
      }),
    );
    session.destroy();
  });

  test('gets a body of any size back, in both directions through its windows', async () => {
    const { session } = nodeClient((stream) => {
      stream.respond({ code: 201, headers: { 'content-type': 'x' } });
      stream.input.readTo({ data: (chunk) => void stream.write(chunk), end: () => stream.end() });
    });
    for (const size of [0, 1, 16_384, 16_385, 100_000, 1_000_000]) {
      const body = Buffer.alloc(size, 'k');
      const { head, body: received } = await answerOf(session, { ':method': 'POST', ':path': '/' }, body);
      expect(head[':status']).toBe(201);
      expect(received.equals(body)).toBe(true);
    }
    session.destroy();
  });

  test('gets headers that are larger than a frame', async () => {
    const { session } = nodeClient((stream) => {
      stream.respond({ code: 200, headers: { 'x-large': stream.headers.value('x-large') } });
      stream.end();
    });
    const large = 'v'.repeat(40_000);
    expect((await answerOf(session, { ':path': '/', 'x-large': large })).head['x-large']).toBe(large);
    session.destroy();
  });

  test('gets 100 Continue for its body, and GOAWAY when the connection drains', async () => {
    const { session, raw } = nodeClient((stream) => {
      stream.inform(100);
      stream.input.readTo({ data: () => undefined, end: () => answerWith(Buffer.from('done'))(stream) });
    });
    const stream = session.request({ ':method': 'POST', ':path': '/', expect: '100-continue' });
    await once(stream, 'continue');
    raw.connection.drain();
    await once(session, 'goaway');
    stream.end('body');
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('done');
    await once(session, 'close');
    expect(raw.isClosed).toBe(true);
  });
});

describe('windows', () => {
  interface Step {
    readonly act: 'write' | 'open stream window' | 'open window' | 'initial window';
    readonly stream: number;
    readonly bytes: number;
  }
  const step: fc.Arbitrary<Step> = fc.record({
    act: fc.constantFrom('write', 'write', 'open stream window', 'open window', 'initial window'),
    stream: fc.constantFrom(1, 3, 5),
    bytes: fc.integer({ min: 1, max: 50_000 }),
  });

  test('never more is sent than they allow, and all that they allow, for any sequence of writes and updates', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const client = new RawClient({ serve: (stream) => stream.respond({ code: 200, headers: {} }) });
        client.send(get(1), get(3), get(5));
        await client.settle();
        const written = new Map([1, 3, 5].map((id) => [id, 0]));
        const opened = new Map([1, 3, 5].map((id) => [id, 0]));
        let initial = DEFAULT_WINDOW_BYTES;
        let window = DEFAULT_WINDOW_BYTES;
        for (const { act, stream: id, bytes } of steps) {
          if (act === 'write') {
            client.served.find((stream) => stream.id === id)?.write(Buffer.alloc(bytes));
            written.set(id, (written.get(id) ?? 0) + bytes);
          } else if (act === 'open stream window') {
            client.send(frame(FRAME.windowUpdate, id, uint32(bytes)));
            opened.set(id, (opened.get(id) ?? 0) + bytes);
          } else if (act === 'open window') {
            client.send(frame(FRAME.windowUpdate, 0, uint32(bytes)));
            window += bytes;
          } else {
            client.send(settingsFrame([[SETTING.initialWindowSize, bytes]]));
            initial = bytes;
          }
          await client.settle();
          const sent = [1, 3, 5].map((id) => client.body(id).length);
          const total = sent.reduce((sum, one) => sum + one, 0);
          expect(total).toBeLessThanOrEqual(window);
          const wanted = [1, 3, 5].map((id, at) =>
            Math.max(sent[at] ?? 0, Math.min(written.get(id) ?? 0, initial + (opened.get(id) ?? 0))),
          );
          expect(total).toBe(
            Math.min(
              window,
              wanted.reduce((sum, one) => sum + one, 0),
            ),
          );
          expect(client.framesOf(FRAME.data).every(({ payload }) => payload.length <= 16_384)).toBe(true);
        }
        client.connection.destroy();
      }),
      { numRuns: 30 },
    );
  });

  test('streams take turns', async () => {
    const client = new RawClient({ serve: answerWith(Buffer.alloc(32_000)) });
    client.send(get(1), get(3));
    await client.settle();
    expect(client.framesOf(FRAME.data).map(({ stream }) => stream)).toEqual([1, 3, 1, 3]);
  });

  test('a body that is not read stops at its window; reading opens it again', async () => {
    const client = new RawClient();
    client.send(post(1));
    for (let count = 0; count < 4; count++) client.send(frame(FRAME.data, 1, Buffer.alloc(64 * 1024)));
    await client.settle();
    expect(client.framesOf(FRAME.windowUpdate, 1)).toEqual([]);
    expect(client.framesOf(FRAME.windowUpdate, 0)).toHaveLength(3);
    const [stream] = client.served as [ServerStream];
    const chunks = stream.input.chunks();
    for (let bytes = 0; bytes < 128 * 1024; bytes += (await chunks.next()).value?.length ?? 0);
    await client.settle();
    expect(client.framesOf(FRAME.windowUpdate, 1)).toHaveLength(1);
  });

  test('padding is confirmed as well', async () => {
    const client = new RawClient();
    client.send(post(1));
    const padded = Buffer.concat([Buffer.from([255]), Buffer.alloc(300)]);
    for (let count = 0; count < 600; count++) client.send(frame(FRAME.data, 1, padded, FLAG.padded));
    await client.settle();
    const [stream] = client.served as [ServerStream];
    stream.input.readTo({ data: () => undefined, end: () => undefined });
    await client.settle();
    const opened = client
      .framesOf(FRAME.windowUpdate, 1)
      .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
    expect(opened).toBeGreaterThanOrEqual(128 * 1024);
    expect(client.resetOf(1)).toBeUndefined();
  });
});

describe('the end of a stream', () => {
  async function opened(frames: readonly Buffer[], options: RawClientOptions = {}): Promise<[RawClient, ServerStream]> {
    const client = new RawClient(options);
    client.send(...frames);
    await client.settle();
    return [client, client.served[0] as ServerStream];
  }

  test('trailers end a body', async () => {
    const [, stream] = await opened([
      post(1),
      frame(FRAME.data, 1, [1, 2]),
      frame(FRAME.headers, 1, [0, 1, 0x78, 1, 0x79], END),
    ]);
    const chunks: number[] = [];
    for await (const chunk of stream.input.chunks()) chunks.push(...chunk);
    expect(chunks).toEqual([1, 2]);
  });

  test('everything written in one turn is sent in one write, for all streams', async () => {
    const [client, first] = await opened([get(1), get(3)]);
    const writes: number[] = [];
    client.socket.on('data', (chunk: Buffer) => void writes.push(chunk.length));
    for (const stream of [first, client.served[1] as ServerStream]) answerWith(Buffer.from('body'))(stream);
    await client.settle();
    expect(writes).toEqual([2 * (9 + 1 + 9 + 4)]);
  });

  test('a request that the client cancels is reported, and nothing more is sent', async () => {
    const [client, stream] = await opened([get(1)]);
    const closed: boolean[] = [];
    stream.on('close', () => closed.push(stream.isFlushed));
    stream.respond({ code: 200, headers: {} });
    client.send(frame(FRAME.resetStream, 1, uint32(CODE.cancel)));
    await client.settle();
    stream.write(Buffer.from('late'));
    stream.end();
    await client.settle();
    expect(client.framesOf(FRAME.data, 1)).toEqual([]);
    expect(closed).toEqual([false]);
    expect(stream.destroyed).toBe(true);
  });

  test('an incomplete response is a reset, never an end', async () => {
    const [client, stream] = await opened([get(1)]);
    stream.respond({ code: 200, headers: {} });
    stream.write(Buffer.from('half'));
    await client.settle();
    stream.write(Buffer.from('more'));
    stream.reset(CODE.internalError);
    await client.settle();
    expect(client.body(1).toString()).toBe('half');
    expect(client.framesOf(FRAME.data, 1).some(({ flags }) => (flags & FLAG.endStream) !== 0)).toBe(false);
    expect(client.resetOf(1)).toBe(CODE.internalError);
  });

  test('a client that still sends after its response may continue for a while, and its stream is then reset', async () => {
    const clock = new VirtualClock();
    const [client, stream] = await opened([post(1)], { clock, serve: answerWith(Buffer.from('no')) });
    client.send(frame(FRAME.data, 1, Buffer.alloc(1_000)));
    await client.settle();
    expect(stream.destroyed).toBe(false);
    await clock.advance('500ms');
    await client.settle();
    expect(client.resetOf(1)).toBe(CODE.noError);
    expect(stream.isFlushed).toBe(true);
  });

  test('the reader of an aborted body gets an error, also when the connection ends', async () => {
    const [client, stream] = await opened([post(1)]);
    const reading = stream.input.chunks().next();
    client.send(frame(FRAME.resetStream, 1, uint32(CODE.cancel)));
    await expect(reading).rejects.toThrow('broken off');
    const [other, left] = await opened([post(1)]);
    const ends: boolean[] = [];
    left.input.readTo({ data: () => undefined, end: (isWhole) => void ends.push(isWhole) });
    other.socket.destroy();
    await other.settle();
    expect(ends).toEqual([false]);
    expect(other.isClosed).toBe(true);
  });
});

describe('the end of a connection', () => {
  test('a client that sends GOAWAY gets its responses first', async () => {
    const client = new RawClient();
    client.send(get(1), frame(FRAME.goaway, 0, Buffer.alloc(8)), get(3));
    await client.settle();
    expect(client.served.map(({ id }) => id)).toEqual([1]);
    answerWith(Buffer.from('last'))(client.served[0] as ServerStream);
    await client.settle();
    expect(client.body(1).toString()).toBe('last');
    expect(client.connection.isOver).toBe(true);
  });

  test('a client that stays after GOAWAY is disconnected', async () => {
    const clock = new VirtualClock();
    const client = new RawClient({ clock });
    client.connection.fail(CODE.enhanceYourCalm);
    await client.settle();
    expect(client.goaway).toBe(CODE.enhanceYourCalm);
    expect(client.isClosed).toBe(false);
    await clock.advance('1s');
    await client.settle();
    expect(client.isClosed).toBe(true);
  });
});
