import type { Clock } from '../../base/index.ts';
import type { Transport, TransportRequest } from '../../client/index.ts';
import type { ReconcileRecord, RunTracker } from '../../kit/index.ts';
import { type Paint, plain, type Style } from '../paint.ts';
import { errorText } from './error-text.ts';
import { resourcePath } from './resource-path.ts';

export interface ActivityOptions {
  readonly clock: Clock;
  /** Knows which run makes a write. */
  readonly tracker: RunTracker;
  /** Default: no colour. */
  readonly paint?: Paint;
  print(line: string): void;
}

/** Prints one line for each run of an app's reconcilers, each write and each event. */
export class Activity {
  readonly #options: ActivityOptions;
  /** By run. */
  readonly #lastErrors = new Map<string, string>();

  constructor(options: ActivityOptions) {
    this.#options = options;
  }

  /** Prints a finished run. */
  readonly ran = ({ controller, key, outcome, durationMs, writes, why, error }: ReconcileRecord): void => {
    if (outcome === 'stopped') return;
    const did = writes === 0 ? '' : `, ${writes} ${writes === 1 ? 'write' : 'writes'}`;
    const because = why.length === 0 ? '' : ` because ${why.join(', ')}`;
    this.#print(
      outcome === 'failed' ? 'failed' : 'reconcile',
      `${controller} ${key}: ${outcome} after ${ms(durationMs)}${did}${because}`,
    );
    if (outcome === 'failed') this.#printErrorOnce(`${controller} ${key}`, errorText(error));
    else this.#lastErrors.delete(`${controller} ${key}`);
  };

  /** The stack of an error is shown once, however often the run fails in the same way. */
  #printErrorOnce(run: string, text: string): void {
    const isKnown = this.#lastErrors.get(run) === text;
    if (this.#lastErrors.size >= MAX_ERRORS) this.#lastErrors.clear();
    this.#lastErrors.set(run, text);
    if (!isKnown) this.#options.print(text);
  }

  /** Wraps a transport to print its writes. */
  watch(transport: Transport): Transport {
    const send = async (request: TransportRequest) => {
      const { clock, tracker } = this.#options;
      const startedMs = clock.monotonic();
      const run = tracker.current;
      const described = describe(request);
      const response = await transport.send(request);
      if (described === undefined || (described.isRead && (response.status < 400 || response.status === 404)))
        return response;
      const by = run === undefined ? '' : ` by ${run.controller} ${run.key}`;
      this.#print(
        described.kind,
        `${described.text}: ${response.status} after ${ms(clock.monotonic() - startedMs)}${by}`,
      );
      return response;
    };
    return { send, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
  }

  #print(kind: string, text: string): void {
    const { clock, print, paint } = this.#options;
    print(activityLine({ timeMs: clock.now(), kind, text }, paint));
  }
}

const KIND_WIDTH = 9;
const MAX_ERRORS = 1000;

const COLOURS: Readonly<Record<string, Style>> = {
  write: 'cyan',
  event: 'yellow',
  reconcile: 'green',
  failed: 'red',
  webhook: 'magenta',
};

export interface ActivityLine {
  readonly timeMs: number;
  readonly kind: string;
  readonly text: string;
}

/** One line of output: time, category, text. */
export function activityLine({ timeMs, kind, text }: ActivityLine, paint: Paint = plain): string {
  const time = new Date(timeMs).toISOString().slice(11, 23);
  const label = kind === 'failed' ? 'reconcile' : kind; // which differs in colour only
  return `${paint('dim', time)}  ${paint(COLOURS[kind] ?? 'blue', label.padEnd(KIND_WIDTH))}  ${text}`;
}

export function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`;
}

interface DescribedRequest {
  readonly kind: 'write' | 'event' | 'read';
  readonly text: string;
  readonly isRead: boolean;
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** Describes a request; undefined for renewals of Leases, which are frequent. */
function describe(request: TransportRequest): DescribedRequest | undefined {
  const { method, path, headers } = request;
  const found = resourcePath(path);
  if (found === undefined || found.resource === 'leases') return undefined;
  const { resource, key, subresource } = found;
  if (resource === 'events' && method !== 'GET') return { kind: 'event', text: eventText(request), isRead: false };
  const isApply = headers['content-type'] === 'application/apply-patch+yaml';
  const verb = isApply ? 'apply' : (VERBS[method] ?? 'read');
  const name = method === 'POST' ? [key, nameIn(request.body)].filter((part) => part !== '').join('/') : key;
  const text = [verb, resource, name, subresource].filter((part) => part !== '').join(' ');
  return { kind: verb === 'read' ? 'read' : 'write', text, isRead: verb === 'read' };
}

interface SentObject {
  readonly metadata?: { readonly name?: string; readonly generateName?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

function nameIn(body: TransportRequest['body']): string {
  const { metadata } = sent(body);
  return metadata?.name ?? metadata?.generateName ?? '';
}

function eventText({ body }: TransportRequest): string {
  const { type = 'Normal', reason = '', message = '', count, involvedObject } = sent(body);
  if (involvedObject === undefined) return `seen ${count ?? 'several'} times`;
  const { kind = '', namespace = '', name = '' } = involvedObject;
  return `${type} ${reason} of ${kind} ${namespace === '' ? name : `${namespace}/${name}`}: ${JSON.stringify(message)}`;
}

/** The body, if it is JSON. */
function sent(body: TransportRequest['body']): SentObject {
  try {
    return typeof body === 'string' ? (JSON.parse(body) as SentObject) : {};
  } catch {
    return {}; // YAML, or invalid
  }
}
