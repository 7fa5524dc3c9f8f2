import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discardLogger, MetricRegistry, SeededRandom, settle, VirtualClock } from '../../../src/base/index.ts';
import { Client, type Transport } from '../../../src/client/index.ts';
import { EventWriter } from '../../../src/kit/events/event-writer.ts';
import { type Sequence, sequences } from './sequences.ts';

type Members = Readonly<Record<string, unknown>>;

const recorded = JSON.parse(await readFile(join(import.meta.dirname, 'recorded.json'), 'utf8')) as Record<
  string,
  readonly Members[]
>;

describe('events are written as client-go writes them:', () => {
  for (const sequence of sequences)
    test(sequence.name, async () => expect(await play(sequence)).toEqual(recorded[sequence.name]));
});

async function play({ host, steps, until }: Sequence): Promise<readonly Members[]> {
  const clock = new VirtualClock();
  const server = new Names(clock);
  const client = new Client(server.transport, { clock, random: new SeededRandom('events') });
  const stop = new AbortController();
  const dropped = new MetricRegistry().counter({ name: 'dropped', help: 'Dropped.' }).with();
  const writer = new EventWriter({ client, log: discardLogger, dropped });
  const running = writer.run(stop.signal);
  const recorder = writer.recorder({ component: 'recorder', ...(host === undefined ? {} : { host }) });
  for (const { at, object = '', fieldPath, reason = '', message = '', ...rest } of steps.toSorted(
    (a, b) => a.at - b.at,
  )) {
    await clock.advance(server.beganMs + at - clock.now());
    if (rest.forget === true) server.forget();
    else {
      const metadata = { name: object, namespace: 'default', uid: `uid-of-${object}` };
      const about = { kind: 'Pod', apiVersion: 'v1', metadata, ...(fieldPath === undefined ? {} : { fieldPath }) };
      recorder.event(about, { reason, message, ...rest });
    }
    await settle();
  }
  await clock.advance(server.beganMs + until - clock.now());
  await settle();
  stop.abort();
  await running;
  return server.writes.toSorted(
    (left, right) => Number(left['at']) - Number(right['at']) || Number(left['event']) - Number(right['event']),
  );
}

interface SentEvent {
  readonly metadata?: { readonly name: string };
  readonly involvedObject?: { readonly name: string; readonly fieldPath?: string };
  readonly source?: { readonly component: string; readonly host?: string };
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly action?: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

/** A server that knows nothing but names, and notes what is written. */
class Names {
  readonly #clock: VirtualClock;
  readonly beganMs: number;
  readonly writes: Members[] = [];
  readonly #names = new Map<string, number>();
  #stored = new Set<string>();

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.beganMs = clock.now();
  }

  readonly transport: Transport = {
    send: ({ method, path, body }) => {
      const sent = JSON.parse(String(body)) as SentEvent;
      const name = method === 'POST' ? (sent.metadata?.name ?? '') : (path.split('/').at(-1) ?? '');
      this.#note(method === 'POST' ? 'create' : 'patch', name, sent);
      if (method === 'POST') this.#stored.add(name);
      const isThere = this.#stored.has(name);
      const object = isThere ? { kind: 'Event', apiVersion: 'v1', ...sent, metadata: { name } } : NOT_FOUND;
      return Promise.resolve({ status: isThere ? 200 : 404, headers: {}, body: { type: 'object', object } });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };

  forget(): void {
    this.#stored = new Set();
  }

  #note(verb: string, name: string, sent: SentEvent): void {
    if (!this.#names.has(name)) this.#names.set(name, this.#names.size);
    const { involvedObject, source, series } = sent;
    const isAction = sent.action !== undefined;
    const written = {
      at: this.#clock.now() - this.beganMs,
      verb,
      event: this.#names.get(name),
      object: involvedObject?.name,
      fieldPath: involvedObject?.fieldPath,
      type: sent.type,
      reason: sent.reason,
      message: sent.message,
      action: sent.action,
      count: sent.count,
      first: this.#since(isAction ? sent.eventTime : sent.firstTimestamp),
      last: this.#since(sent.lastTimestamp),
      component: sent.reportingComponent,
      instance: isAction ? undefined : sent.reportingInstance,
      source: source?.component,
      host: source?.host,
      seriesCount: series?.count,
      lastObserved: this.#since(series?.lastObservedTime),
    };
    const present = Object.entries(written).filter(([, value]) => value !== undefined && value !== '');
    this.writes.push(Object.fromEntries(present));
  }

  #since(time: string | undefined): number | undefined {
    return time === undefined ? undefined : Date.parse(time) - this.beganMs;
  }
}

const NOT_FOUND = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  reason: 'NotFound',
  message: 'not found',
  code: 404,
};
