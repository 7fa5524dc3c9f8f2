import { METRICS_CONTENT_TYPE } from '../../base/index.ts';
import type { Clock, Counter, Histogram, MetricRegistry } from '../../base/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { PathHandler } from '../stages/dispatch.ts';
import { type InFlight, isLongRunning } from '../stages/limit-concurrency.ts';
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
      help: 'Seconds from the arrival of a request to the end of its answer.',
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

  /** As upstream, a request is counted and timed when the last byte of its answer is out: a watch when it ends. */
  readonly stage: Stage = (call, next) => {
    const start = this.#clock.monotonic();
    const open = isLongRunning(call.info) ? this.#longRunning.with(targetOf(call.info)) : undefined;
    open?.add(1);
    call.onFinish(({ code }) => {
      open?.add(-1);
      const recorder = this.#recorder(call, code);
      recorder.total.add();
      recorder.duration.observe((this.#clock.monotonic() - start) / 1000);
    });
    return next(call);
  };

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

/** `/metrics`, in Prometheus' text format. */
export class MetricsPath implements PathHandler {
  readonly #metrics: MetricRegistry;

  constructor(metrics: MetricRegistry) {
    this.#metrics = metrics;
  }

  handle(call: Call): Answer | undefined {
    if (call.path !== '/metrics') return undefined;
    return { type: 'bytes', code: 200, contentType: METRICS_CONTENT_TYPE, body: this.#metrics.expose() };
  }
}
