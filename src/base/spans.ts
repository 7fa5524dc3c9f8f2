// Spans of OpenTelemetry, for hosts that have it: its API meets everybody in one global place, so nothing is imported.

/** What a span tells besides its name. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface SpanOptions {
  readonly kind?: 'internal' | 'server' | 'client';
  readonly attributes?: SpanAttributes;
  /** The headers of a request that is answered, which may tell of the span that it was sent in. */
  readonly parent?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A span as work sees it; none where the host has no OpenTelemetry. */
export interface WorkSpan {
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, also where nothing is thrown. */
  failed(error: unknown): void;
  /** Headers by which a server learns of the span, such as `traceparent`. */
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

/** As much of the global place of `@opentelemetry/api` 1.x as is used. */
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

/** Whether the host has a tracer: to be asked before anything is made for a span. */
export function hasTracer(): boolean {
  return (globalThis as { readonly [PLACE]?: OtelApi })[PLACE]?.trace !== undefined;
}

/** Does work in a span of the host's tracer, as a child of the span that is active; just the work where there is no tracer. */
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
