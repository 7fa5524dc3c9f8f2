import type { Clock, Counter, Gauge, Histogram, MetricRegistry } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { isLongRunning } from '../stages/limit-concurrency.ts';
import type { InFlight } from '../stages/limit-concurrency.ts';
import type { Stage } from '../stages/stage.ts';

const TARGET = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

interface Recorder {
  readonly total: Counter;
  readonly duration: Histogram;
}

/** Counts and times every request under upstream's names. */
export class RequestMetrics {
  readonly #clock: Clock;
  readonly #requests;
  readonly #durations;
  readonly #longRunning;
  /** By everything that the labels depend on, so that a request costs one look-up. */
  readonly #recorders = new Map<string, Recorder>();

  constructor(metrics: MetricRegistry, options: { readonly clock: Clock; readonly inFlight: () => InFlight }) {
    this.#clock = options.clock;
    this.#requests = metrics.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, dry run, target and response code.',
      labels: [...TARGET, 'dry_run', 'code'],
    });
    this.#durations = metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Seconds from the arrival of a request to its answer.',
      labels: [...TARGET, 'dry_run'],
      buckets: DURATION_BUCKETS,
    });
    this.#longRunning = metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches and other long requests that are open.',
      labels: TARGET,
    });
    metrics.callback(
      {
        name: 'apiserver_current_inflight_requests',
        help: 'Requests being worked on, by kind.',
        labels: ['request_kind'],
      },
      () => {
        const { reads, writes } = options.inFlight();
        return [
          { labels: { request_kind: 'readOnly' }, value: reads },
          { labels: { request_kind: 'mutating' }, value: writes },
        ];
      },
    );
  }

  readonly stage: Stage = async (call, next) => {
    const start = this.#clock.monotonic();
    const answer = await next(call);
    const recorder = this.#recorder(call, codeOf(answer));
    recorder.total.add();
    if (answer.type === 'watch') return { ...answer, events: this.#counted(answer.events, call) };
    if (!isLongRunning(call.info)) recorder.duration.observe((this.#clock.monotonic() - start) / 1000);
    return answer;
  };

  async *#counted<T>(events: AsyncIterable<T>, call: Call): AsyncGenerator<T> {
    const open: Gauge = this.#longRunning.with(targetOf(call.info));
    open.add(1);
    try {
      yield* events;
    } finally {
      open.add(-1);
    }
  }

  #recorder({ info, query }: Call, code: number): Recorder {
    const dryRun = query.text === '' ? '' : query.get('dryRun');
    const key = `${info.verb} ${info.isResource ? `${info.group}/${info.version}/${info.resource}/${info.subresource}` : ''} ${scopeOf(info)} ${dryRun} ${code}`;
    const known = this.#recorders.get(key);
    if (known !== undefined) return known;
    const labels = { ...targetOf(info), dry_run: dryRun };
    const recorder = {
      total: this.#requests.with({ ...labels, code: String(code) }),
      duration: this.#durations.with(labels),
    };
    if (this.#recorders.size < MAX_RECORDERS) this.#recorders.set(key, recorder);
    return recorder;
  }
}

/** More than all verbs on all resources; what comes after that is resolved anew each time. */
const MAX_RECORDERS = 20_000;

function targetOf(info: RequestInfo): Record<(typeof TARGET)[number], string> {
  const { group, version, resource, subresource } = info;
  return {
    verb: metricVerb(info.verb),
    group,
    version,
    resource,
    subresource,
    scope: scopeOf(info),
    component: 'apiserver',
  };
}

/** Upstream writes the method for most verbs. */
function metricVerb(verb: string): string {
  switch (verb) {
    case 'create':
      return 'POST';
    case 'update':
      return 'PUT';
    default:
      return verb.toUpperCase();
  }
}

function scopeOf(info: RequestInfo): string {
  if (!info.isResource) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

function codeOf(answer: Answer): number {
  switch (answer.type) {
    case 'object':
    case 'bytes':
      return answer.code;
    case 'status':
      return answer.status.code;
    case 'list':
    case 'watch':
      return 200;
  }
}
