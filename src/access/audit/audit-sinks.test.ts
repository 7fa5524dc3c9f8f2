import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtInTypes } from '../../api/index.ts';
import {
  discardLogger,
  MetricRegistry,
  RandomUidSource,
  RealClock,
  SeededRandom,
  VirtualClock,
} from '../../base/index.ts';
import { webhookServer } from '../../kit/index.ts';
import { type AuditEvent, eventJson, eventLine } from './audit-event.ts';
import { AuditMetrics } from './audit-metrics.ts';
import type { AuditSink } from './audit-sink.ts';
import { BatchedSink } from './batched-sink.ts';
import { RotatingFile } from './rotating-file.ts';
import { truncating } from './truncating-sink.ts';
import { webhookSink } from './webhook-sink.ts';

const event = (auditID: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  level: 'RequestResponse',
  auditID,
  stage: 'ResponseComplete',
  requestURI: '/version',
  verb: 'get',
  user: { username: 'ada' },
  requestReceivedTimestamp: 0,
  stageTimestamp: 1,
  ...more,
});

class Counted {
  readonly registry = new MetricRegistry();
  readonly metrics = new AuditMetrics(this.registry, discardLogger);

  errors(plugin: string): number {
    const [, count = '0'] = new RegExp(`error_total{plugin="${plugin}"} (\\d+)`).exec(this.registry.expose()) ?? [];
    return Number(count);
  }
}

/** Records the audit IDs of events; `hold` delays writes. */
class Memory implements AuditSink {
  readonly batches: string[][] = [];
  hold: Promise<boolean> | undefined;

  write(events: readonly AuditEvent[]): boolean | Promise<boolean> {
    this.batches.push(events.map(({ auditID }) => auditID));
    return this.hold ?? true;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

describe('batches', () => {
  const options = { bufferSize: 5, maxBatchSize: 3, maxBatchWait: 1000 };

  test('are passed on when they are full or have waited', async () => {
    const [memory, clock, { metrics }] = [new Memory(), new VirtualClock(), new Counted()];
    const sink = new BatchedSink(memory, options, { clock, metrics });
    for (const id of ['a', 'b', 'c', 'd']) sink.write([event(id)]);
    expect(memory.batches).toEqual([['a', 'b', 'c']]);
    await clock.advance(1000);
    expect(memory.batches).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('are rate-limited, and events that do not fit into the buffer are lost and counted', async () => {
    const [memory, clock, counted] = [new Memory(), new VirtualClock(), new Counted()];
    const throttled = { ...options, throttle: { qps: 1, burst: 1 } };
    const sink = new BatchedSink(memory, throttled, { clock, metrics: counted.metrics });
    for (const id of 'abcdefghijk') sink.write([event(id)]);
    expect(memory.batches).toEqual([['a', 'b', 'c']]);
    expect(counted.errors('buffered')).toBe(3);
    await clock.advance(1000);
    expect(memory.batches).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
  });

  test('are sent 32 at a time; the next one is sent when one has arrived', async () => {
    const { metrics } = new Counted();
    const memory = new Memory();
    let arrive: (isWritten: boolean) => void = () => undefined;
    const sink = new BatchedSink(
      memory,
      { bufferSize: 100, maxBatchSize: 1, maxBatchWait: 1000 },
      { clock: new VirtualClock(), metrics },
    );
    memory.hold = new Promise((resolve) => void (arrive = resolve));
    sink.write(Array.from({ length: 40 }, (_unused, index) => event(String(index))));
    expect(memory.batches.length).toBe(32);
    memory.hold = undefined;
    arrive(true);
    await sink[Symbol.asyncDispose]();
    expect(memory.batches.flat()).toEqual(Array.from({ length: 40 }, (_unused, index) => String(index)));
  });

  test('that are left at shutdown are passed on, and a dead receiver delays the shutdown only for a limited time', async () => {
    const [memory, clock, { metrics }] = [new Memory(), new VirtualClock(), new Counted()];
    const sink = new BatchedSink(memory, options, { clock, metrics });
    memory.hold = new Promise(() => undefined);
    sink.write([event('a')]);
    const stopping = sink[Symbol.asyncDispose]();
    await clock.advance('10s');
    await stopping;
    expect(memory.batches).toEqual([['a']]);
  });
});

test('an event that is too large loses its objects; if it is still too large, it is lost', () => {
  const [memory, counted] = [new Memory(), new Counted()];
  const kept: AuditEvent[] = [];
  const sink: AuditSink = {
    write: (events) => kept.push(...events) > 0 && memory.write(events),
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  };
  const huge = { json: JSON.stringify('x'.repeat(1_000_000)) };
  const cut = truncating(sink, { maxEventBytes: 1000, maxBatchBytes: 1000 }, counted.metrics);
  const longUri = `/${'u'.repeat(2000)}`;
  void cut.write([
    event('small'),
    event('huge', { responseObject: huge, requestObject: huge }),
    event('uri', { requestURI: longUri }),
  ]);
  expect(memory.batches.flat()).toEqual(['small', 'huge']);
  expect(kept[1]).not.toHaveProperty('responseObject');
  expect(kept[1]?.annotations).toEqual({ 'audit.k8s.io/truncated': 'true' });
  expect(counted.errors('truncate')).toBe(1);
});

test('a full log is rotated; old ones are compressed, and removed when there are too many', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const clock = new VirtualClock({ startMs: Date.parse('2026-01-31T10:00:00Z') });
  const path = join(folder, 'logs', 'audit.log');
  const options = { path, maxBytes: 10, maxBackups: 2, maxAge: 0, isCompressing: true, clock, log: discardLogger };
  {
    await using file = new RotatingFile(options);
    for (const line of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']) {
      await file.write(`${line}\n`);
      await clock.advance('1s');
    }
  }
  expect(await readFile(path, 'utf8')).toBe('eight\n');
  const names = (await readdir(join(folder, 'logs'))).toSorted();
  expect(names).toEqual(['audit-2026-01-31T10-00-05.000.log.gz', 'audit-2026-01-31T10-00-07.000.log.gz', 'audit.log']);
  const packed = await readFile(join(folder, 'logs', names[1] ?? ''));
  expect(gunzipSync(packed).toString()).toBe('six\nseven\n');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a dead webhook is tried five times, with growing pauses, and then its events are lost', async () => {
  const [clock, counted] = [new VirtualClock(), new Counted()];
  const random = new SeededRandom(1);
  const sink = webhookSink(
    { webhook: { target: { url: 'https://127.0.0.1:1/audit' }, credential: {} }, initialBackoff: 1000 },
    { clock, random, uids: new RandomUidSource(random), types: builtInTypes(), metrics: counted.metrics },
  );
  const written = sink.write([event('a'), event('b')]);
  const isOver = Promise.resolve(written).then(() => true);
  for (let turn = 0; turn < 100 && counted.errors('webhook') === 0; turn++) {
    await new Promise((resolve) => void setImmediate(resolve));
    await clock.advance('1s');
  }
  expect(await isOver).toBe(true);
  expect(await written).toBe(false);
  expect(counted.errors('webhook')).toBe(2);
});

test('a webhook gets events as a list, and only the status code of its answer matters', async () => {
  const received: unknown[] = [];
  const stop = new AbortController();
  const server = webhookServer({ handlers: { '/audit': (list) => ({ count: received.push(list) }) } });
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const [random, counted] = [new SeededRandom(1), new Counted()];
  await using sink = webhookSink(
    { webhook: { target: await server.clientConfig('/audit'), credential: {} }, initialBackoff: 1000 },
    {
      clock: new RealClock(),
      random,
      uids: new RandomUidSource(random),
      types: builtInTypes(),
      metrics: counted.metrics,
    },
  );
  expect(await sink.write([event('a'), event('b', { requestObject: { json: '{"a":[1]}' } })])).toBe(true);
  expect(received).toMatchObject([
    {
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [{ auditID: 'a' }, { auditID: 'b', requestObject: { a: [1] } }],
    },
  ]);
});

test('an event is one line, whatever its content', () => {
  const strange = event('x', { requestURI: '/a\nb', userAgent: '<script>"', responseStatus: { code: 200 } });
  expect(eventJson(strange)).toBe(
    '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"x","stage":"ResponseComplete",' +
      '"requestURI":"/a\\nb","verb":"get","user":{"username":"ada"},"userAgent":"\\u003cscript\\u003e\\"",' +
      '"responseStatus":{"metadata":{},"code":200},' +
      '"requestReceivedTimestamp":"1970-01-01T00:00:00.000000Z","stageTimestamp":"1970-01-01T00:00:00.001000Z"}',
  );
  expect(eventLine(strange)).toBe(
    '1970-01-01T00:00:00Z AUDIT: id="x" stage="ResponseComplete" ip="<unknown>" method="get" user="ada" groups="<none>" ' +
      'as="<self>" asgroups="<lookup>" user-agent="<script>\\"" namespace="<none>" uri="/a\\nb" response="200"',
  );
});
