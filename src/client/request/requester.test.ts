import { describe, expect, test } from 'vitest';
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import type { Transport, TransportBody, TransportRequest, TransportResponse } from '../transport.ts';
import { TransportError } from '../../wire/http/index.ts';
import type { ApiRequest } from './api-request.ts';
import { Requester, type RequesterOptions } from './requester.ts';
import type { Warning } from './warning.ts';

type Scripted =
  | TransportError
  | 'hang'
  | { status: number; headers?: Record<string, string | string[]>; body?: unknown };

/** Gives prepared answers in order, and repeats the last one. */
class ScriptedTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  readonly #script: Scripted[];

  constructor(...script: Scripted[]) {
    this.#script = script;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    const next = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
    if (next instanceof TransportError) throw next;
    if (next === 'hang' || next === undefined) {
      return new Promise((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      );
    }
    const { status, headers = {}, body = {} } = next;
    return { status, headers, body: bytes(typeof body === 'string' ? body : JSON.stringify(body)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // nothing is open
  }
}

function bytes(...parts: readonly string[]): TransportBody {
  return {
    type: 'bytes',
    chunks: (async function* () {
      for (const part of parts) yield Buffer.from(part);
    })(),
  };
}

function requesterOver(
  transport: Transport,
  options: RequesterOptions = {},
): { requester: Requester; clock: VirtualClock } {
  const clock = new VirtualClock();
  return { requester: new Requester(transport, { clock, random: new SeededRandom('retry'), ...options }), clock };
}

const read: ApiRequest = { method: 'GET', path: '/api/v1/pods' };
const create: ApiRequest = { method: 'POST', path: '/api/v1/pods', body: { kind: 'Pod' } };
const update: ApiRequest = { method: 'PUT', path: '/api/v1/pods/a', body: { kind: 'Pod' } };

function tooMany(seconds?: number): Scripted {
  return {
    status: 429,
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
    body: { kind: 'Status', message: 'busy', reason: 'TooManyRequests' },
  };
}

describe('a busy server', () => {
  test.each([read, create, update])(
    '429 is tried again after the time the server asks for: $method',
    async (request) => {
      const transport = new ScriptedTransport(tooMany(3), { status: 200, body: { ok: true } });
      const { requester, clock } = requesterOver(transport);
      const answer = requester.object(request);

      await clock.advance('2999ms');
      expect(transport.requests).toHaveLength(1);
      await clock.advance('1ms');

      expect((await answer).value).toEqual({ ok: true });
      expect(transport.requests).toHaveLength(2);
    },
  );

  test('Retry-After may be a date', async () => {
    const clock = new VirtualClock();
    const at = new Date(clock.now() + 5000).toUTCString();
    const transport = new ScriptedTransport({ status: 503, headers: { 'retry-after': at } }, { status: 200 });
    const requester = new Requester(transport, { clock, random: new SeededRandom('retry') });
    const answer = requester.object(read);

    await clock.advance('4999ms');
    expect(transport.requests).toHaveLength(1);
    await clock.advance('1ms');

    await answer;
  });

  test('without Retry-After the wait grows with jitter, and retries end after maxRetries', async () => {
    const transport = new ScriptedTransport(tooMany());
    const { requester, clock } = requesterOver(transport, { maxRetries: 3 });
    const times: number[] = [];
    const outcome = expect(requester.object(create)).rejects.toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: 'busy',
    });

    while (transport.requests.length < 4) {
      if (times.length < transport.requests.length) times.push(clock.monotonic());
      await clock.advance(10);
    }

    await outcome;
    expect(transport.requests).toHaveLength(4);
    expect(times[1]).toBeGreaterThanOrEqual(100);
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(200);
  });

  test('a Retry-After of minutes becomes an error', async () => {
    const transport = new ScriptedTransport(tooMany(120));
    const { requester } = requesterOver(transport);

    await expect(requester.object(read)).rejects.toMatchObject({ code: 429 });
    expect(transport.requests).toHaveLength(1);
  });

  test.each<[string, ApiRequest, Scripted, boolean]>([
    ['503 to a read', read, { status: 503 }, true],
    ['500 to a read', read, { status: 500 }, false],
    ['500 with a time to a read', read, { status: 500, headers: { 'retry-after': '1' } }, true],
    ['503 with a time to an update', update, { status: 503, headers: { 'retry-after': '1' } }, true],
    ['503 to an update', update, { status: 503 }, false],
    ['503 with a time to a create', create, { status: 503, headers: { 'retry-after': '1' } }, false],
    [
      '503 with a time to an apply',
      { ...create, method: 'PATCH', isIdempotent: true },
      { status: 503, headers: { 'retry-after': '1' } },
      true,
    ],
    ['a broken connection to a read', read, new TransportError('cut', 'cut'), true],
    ['a broken connection to a create', create, new TransportError('cut', 'cut'), false],
    ['a connection that turned the request away to a create', create, new TransportError('refused', 'refused'), true],
    ['no connection to a read', read, new TransportError('connect', 'connect'), false],
    ['404 to a read', read, { status: 404 }, false],
  ])('%s', async (_what, request, first, isRetried) => {
    const transport = new ScriptedTransport(first, { status: 200, body: { ok: true } });
    const { requester, clock } = requesterOver(transport);
    const answer = requester.object(request).then(
      () => true,
      () => false,
    );

    await clock.advance('5s');

    expect(await answer).toBe(isRetried);
    expect(transport.requests).toHaveLength(isRetried ? 2 : 1);
  });

  test('aborting while waiting rejects at once', async () => {
    const { requester, clock } = requesterOver(new ScriptedTransport(tooMany(30)));
    const stop = new AbortController();
    const outcome = expect(requester.object({ ...read, signal: stop.signal })).rejects.toThrow('enough');
    await clock.advance('1s');

    stop.abort(new Error('enough'));

    await outcome;
    expect(clock.pending).toBe(0);
  });
});

describe('time limits', () => {
  test('a call that takes too long is aborted, retries included', async () => {
    const transport = new ScriptedTransport(tooMany(2), 'hang');
    const { requester, clock } = requesterOver(transport);
    const outcome = expect(requester.object({ ...read, timeout: 5000 })).rejects.toMatchObject({ reason: 'timeout' });

    await clock.advance('5s');

    await outcome;
    expect(transport.requests[1]?.signal.aborted).toBe(true);
  });

  test('a call that ends in time leaves no timer behind', async () => {
    const { requester, clock } = requesterOver(new ScriptedTransport({ status: 200 }));

    await requester.object({ ...read, timeout: 5000 });

    expect(clock.pending).toBe(0);
  });
});

describe('answers', () => {
  test('an error body that is not a Status becomes one with its text', async () => {
    const { requester } = requesterOver(new ScriptedTransport({ status: 404, body: '<html>no such page</html>' }));

    await expect(requester.object(read)).rejects.toMatchObject({
      name: 'StatusError',
      code: 404,
      reason: 'NotFound',
      message: 'The server answered 404 to GET /api/v1/pods: <html>no such page</html>',
    });
  });

  test('an answer that is too long is not read to its end', async () => {
    const { requester } = requesterOver(new ScriptedTransport({ status: 200, body: 'x'.repeat(100) }), {
      maxBodyBytes: 99,
    });

    await expect(requester.object(read)).rejects.toMatchObject({ reason: 'tooLarge' });
  });

  test('an answer that is not JSON is a protocol error', async () => {
    const { requester } = requesterOver(new ScriptedTransport({ status: 200, body: 'hello' }));

    await expect(requester.object(read)).rejects.toMatchObject({
      reason: 'protocol',
      message: 'Cannot read the answer as JSON: hello',
    });
  });

  test('every warning is reported', async () => {
    const heard: Warning[] = [];
    const warning = ['299 - "first \\"quoted\\"", 299 k8s "second"', '199 - "about caches"'];
    const transport = new ScriptedTransport({ status: 200, headers: { warning } });
    const { requester } = requesterOver(transport, { onWarning: (text) => heard.push(text) });

    await requester.object(create);

    expect(heard).toEqual([
      { text: 'first "quoted"', request: 'POST /api/v1/pods' },
      { text: 'second', request: 'POST /api/v1/pods' },
    ]);
  });
});

describe('requests', () => {
  test('name the program and the impersonated user', async () => {
    const transport = new ScriptedTransport({ status: 200 });
    const impersonate = { user: 'jane', uid: '7', groups: ['a', 'b'], extra: { 'acme.com/Scope%': ['x', 'y'] } };
    const { requester } = requesterOver(transport, { userAgent: 'my-controller/1.0', impersonate });

    await requester.object({ ...read, query: { limit: 5, watch: undefined, labelSelector: 'a in (b,c)' } });

    expect(transport.requests[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/pods?limit=5&labelSelector=a%20in%20(b%2Cc)',
      headers: {
        accept: 'application/json',
        'user-agent': 'my-controller/1.0',
        'impersonate-user': 'jane',
        'impersonate-uid': '7',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-acme.com%2Fscope%25': ['x', 'y'],
      },
    });
    expect(transport.requests[0]).not.toHaveProperty('body');
  });

  test('have bodies as Go writes them, because servers store and compare some of their bytes', async () => {
    const transport = new ScriptedTransport({ status: 200 });
    await requesterOver(transport).requester.object({ ...create, body: { data: { args: ['<a> & b'] } } });
    expect(transport.requests[0]?.body).toBe(String.raw`{"data":{"args":["\u003ca\u003e \u0026 b"]}}`);
  });
});

describe('watches', () => {
  const event = (type: string, name: string): string =>
    JSON.stringify({ type, object: { metadata: { name, resourceVersion: '5' } } });

  async function gather(...parts: readonly string[]): Promise<unknown[]> {
    const transport: Transport = {
      send: async () => ({ status: 200, headers: {}, body: bytes(...parts) }),
      [Symbol.asyncDispose]: async () => undefined,
    };
    const events: unknown[] = [];
    const requester = new Requester(transport, { maxEventBytes: 500 });
    for await (const batch of requester.events({ ...read, query: { watch: true } })) events.push(batch);
    return events;
  }

  test('events that arrive together form one batch, wherever the chunks are cut', async () => {
    const text = `${event('ADDED', 'a')}\n${event('MODIFIED', 'ü')}\n${event('DELETED', 'c')}\n`;
    const cut = text.indexOf('MODIFIED') + 3;

    const batches = await gather(text.slice(0, cut), text.slice(cut));

    expect(batches).toMatchObject([
      [{ type: 'ADDED', object: { metadata: { name: 'a' } } }],
      [{ type: 'MODIFIED', object: { metadata: { name: 'ü' } } }, { type: 'DELETED' }],
    ]);
  });

  test('bookmarks report the resource version, and whether the initial state is complete', async () => {
    const end = {
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } },
    };

    const batches = await gather(`${event('BOOKMARK', '')}\n${JSON.stringify(end)}\n`);

    expect(batches).toEqual([
      [
        { type: 'BOOKMARK', resourceVersion: '5', endsInitialEvents: false },
        { type: 'BOOKMARK', resourceVersion: '9', endsInitialEvents: true },
      ],
    ]);
  });

  test('an ERROR event is thrown as a StatusError, after the events before it', async () => {
    const error = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    const seen: unknown[] = [];
    const transport: Transport = {
      send: async () => ({
        status: 200,
        headers: {},
        body: bytes(`${event('ADDED', 'a')}\n${JSON.stringify(error)}\n`),
      }),
      [Symbol.asyncDispose]: async () => undefined,
    };
    const watching = (async () => {
      for await (const batch of new Requester(transport).events(read)) seen.push(...batch);
    })();

    await expect(watching).rejects.toMatchObject({ name: 'StatusError', code: 410, reason: 'Expired' });
    expect(seen).toHaveLength(1);
  });

  test.each([
    ['a line that is no event', 'hello\n', 'protocol'],
    ['an event of unknown type', '{"type":"SURPRISE"}\n', 'protocol'],
    ['a stream that stops in the middle of a line', '{"type":"ADD', 'cut'],
    ['a line that is too long', `{"type":"${'x'.repeat(600)}`, 'tooLarge'],
  ])('%s ends the watch', async (_what, text, reason) => {
    await expect(gather(text)).rejects.toMatchObject({ reason });
  });
});
