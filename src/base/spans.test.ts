import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasTracer, inSpan } from './spans.ts';

interface RecordedSpan {
  readonly name: string;
  readonly parent: string | undefined;
  readonly kind: number;
  attributes: Record<string, unknown>;
  status?: unknown;
  exceptions: string[];
  isEnded: boolean;
}

const PLACE = Symbol.for('opentelemetry.js.api.1');
const place = globalThis as { [PLACE]?: object };
let spans: RecordedSpan[] = [];

/** The global object of `@opentelemetry/api` once a provider, a context manager and a propagator are registered. */
function telemetry(): object {
  const active = new AsyncLocalStorage<{ readonly name?: string }>();
  return {
    context: {
      active: () => active.getStore() ?? {},
      with: <T>(context: object, work: () => T) => active.run(context, work),
    },
    propagation: {
      inject: (
        context: { name?: string },
        carrier: object,
        setter: { set(into: object, key: string, value: string): void },
      ) => setter.set(carrier, 'traceparent', context.name ?? ''),
      extract: (context: object, carrier: object, getter: { get(from: object, key: string): string | undefined }) => ({
        ...context,
        name: getter.get(carrier, 'traceparent'),
      }),
    },
    trace: {
      getTracer: () => ({
        startActiveSpan: <T>(
          name: string,
          options: { kind: number; attributes: object },
          work: (span: object) => T,
        ) => {
          const { kind, attributes } = options;
          const parent = active.getStore()?.name;
          const recorded: RecordedSpan = {
            name,
            parent,
            kind,
            attributes: { ...attributes },
            exceptions: [],
            isEnded: false,
          };
          spans.push(recorded);
          const span = {
            setAttributes: (more: object) => Object.assign(recorded.attributes, more),
            setStatus: (status: unknown) => (recorded.status = status),
            recordException: ({ message }: Error) => recorded.exceptions.push(message),
            end: () => (recorded.isEnded = true),
          };
          return active.run({ name }, () => work(span));
        },
      }),
    },
  };
}

beforeEach(() => void (spans = []));
afterEach(() => void delete place[PLACE]);

describe('spans', () => {
  test('are not made in a host without OpenTelemetry', async () => {
    expect(hasTracer()).toBe(false);
    expect(await inSpan('work', {}, async ({ headers }) => headers)).toEqual({});
  });

  test('are children of the active span, and are passed to servers in headers', async () => {
    place[PLACE] = telemetry();
    expect(hasTracer()).toBe(true);
    const headers = await inSpan('outer', {}, () =>
      inSpan('inner', { kind: 'client', attributes: { a: 1 } }, async (span) => {
        span.set({ b: 2 });
        return span.headers;
      }),
    );
    expect(headers).toEqual({ traceparent: 'inner' });
    expect(spans).toMatchObject([
      { name: 'outer', parent: undefined, kind: 0, isEnded: true },
      { name: 'inner', parent: 'outer', kind: 2, attributes: { a: 1, b: 2 }, isEnded: true },
    ]);
  });

  test('of a received request are children of the span in which the client sent it', async () => {
    place[PLACE] = telemetry();
    await inSpan('answer', { kind: 'server', parent: { traceparent: 'theirs' } }, async () => undefined);
    expect(spans).toMatchObject([{ name: 'answer', parent: 'theirs', kind: 1 }]);
  });

  test('record the failure of their work, and end', async () => {
    place[PLACE] = telemetry();
    const failing = inSpan('work', {}, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(spans).toMatchObject([{ exceptions: ['no'], status: { code: 2, message: 'no' }, isEnded: true }]);
  });
});
