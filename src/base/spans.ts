// Spans of OpenTelemetry, for hosts that use it. Its API is found in a global object, so nothing is imported.

/** Attributes of a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** The headers of a received request, which may name the client's span. */
  readonly parent?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A span as the work inside it sees it; does nothing in a host without OpenTelemetry. */
export interface WorkSpan {
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, for work that does not throw. */
  failed(error: unknown): void;
  /** Headers that pass the span to a server, such as `traceparent`. */
  readonly headers: Readonly<Record<string, string>>;
}

interface OtelSpan {
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(error: Error): unknown;
  end(): void;
}

interface OtelTracer {
  startActiveSpan<T>(
    name: string,
    options: { readonly kind: number; readonly attributes: SpanAttributes },
    work: (span: OtelSpan) => T,
  ): T;
}

type Carrier = Record<string, string>;

/** The used part of the global object of `@opentelemetry/api` 1.x. */
interface OtelApi {
  readonly trace?: { getTracer(name: string): OtelTracer };
  readonly context?: { active(): unknown; with<T>(context: unknown, work: () => T): T };
  readonly propagation?: {
    inject(context: unknown, carrier: Carrier, setter: { set(into: Carrier, key: string, value: string): void }): void;
    extract(
      context: unknown,
      carrier: Readonly<Record<string, string | readonly string[] | undefined>>,
      getter: {
        get(from: Readonly<Record<string, unknown>>, key: string): unknown;
        keys(from: object): string[];
      },
    ): unknown;
  };
}

const PLACE = Symbol.for('opentelemetry.js.api.1');
const SCOPE = 'keelson';
const KINDS = { internal: 0, server: 1, client: 2 } as const;
const ERROR = 2;

const NO_SPAN: WorkSpan = { set: () => undefined, failed: () => undefined, headers: {} };

/** Whether the host has a tracer: check before computing attributes. */
export function hasTracer(): boolean {
  return (globalThis as { readonly [PLACE]?: OtelApi })[PLACE]?.trace !== undefined;
}

/** Runs work in a span of the host's tracer, as a child of the active span; only runs the work when there is no tracer. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: WorkSpan) => Promise<T>): Promise<T> {
  const api = (globalThis as { readonly [PLACE]?: OtelApi })[PLACE];
  const tracer = api?.trace?.getTracer(SCOPE);
  if (api === undefined || tracer === undefined) return work(NO_SPAN);
  const { kind = 'internal', attributes = {}, parent } = options;
  const begin = (): Promise<T> =>
    tracer.startActiveSpan(name, { kind: KINDS[kind], attributes }, (span) => during(span, api, work));
  const { context, propagation } = api;
  if (parent === undefined || context === undefined || propagation === undefined) return begin();
  const getter = {
    get: (from: Readonly<Record<string, unknown>>, key: string) => from[key],
    keys: (from: object) => Object.keys(from),
  };
  return context.with(propagation.extract(context.active(), parent, getter), begin);
}

async function during<T>(span: OtelSpan, api: OtelApi, work: (span: WorkSpan) => Promise<T>): Promise<T> {
  const failed = (error: unknown): void => {
    const known = error instanceof Error ? error : new Error(String(error));
    span.recordException(known);
    span.setStatus({ code: ERROR, message: known.message });
  };
  try {
    return await work({
      set: (attributes) => void span.setAttributes(attributes),
      failed,
      get headers() {
        const carrier: Carrier = {};
        const setter = { set: (into: Carrier, key: string, value: string) => void (into[key] = value) };
        if (api.context !== undefined) api.propagation?.inject(api.context.active(), carrier, setter);
        return carrier;
      },
    });
  } catch (error) {
    failed(error);
    throw error;
  } finally {
    span.end();
  }
}
