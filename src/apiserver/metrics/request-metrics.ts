import type { Clock, Counter, Histogram, MetricRegistry } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import type { SentAnswer } from '../request/request-record.ts';
import type { Resource } from '../resource.ts';
import { type InFlight, isLongRunning } from '../stages/limit-concurrency.ts';
import type { Stage } from '../stages/stage.ts';
import { dryRunOf, metricVerb, type RequestTarget, scopeOf, TARGET, targetOf } from './request-target.ts';

const SLI_BUCKETS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const DURATION_BUCKETS = [0.005, 0.025, ...SLI_BUCKETS];
const ANSWER_SIZES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const BODY_SIZES = Array.from({ length: 31 }, (_, index) => 50_000 + index * 100_000);
const WITHOUT_COMPONENT = TARGET.filter((label) => label !== 'component');
const WRITES = new Set(['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION']);

/** The series of one kind of request, looked up once. */
interface Recorder {
  readonly target: RequestTarget;
  readonly total: Counter;
  readonly duration: Histogram;
  readonly sli: Histogram | undefined;
  readonly answerSizes: Histogram | undefined;
  readonly bodySizes: Histogram | undefined;
}

export interface RequestMetricsOptions {
  readonly clock: Clock;
  readonly inFlight: () => InFlight;
  readonly waiting: () => InFlight;
  /** The served resource that a request is for, if any. */
  readonly resourceOf: (call: Call) => Resource | undefined;
}

/** Counts, times and measures requests, under upstream's metric names. */
export class RequestMetrics {
  readonly #options: RequestMetricsOptions;
  readonly #families;
  /** By everything that the labels depend on, so that a request needs one look-up. */
  readonly #recorders = new Map<string, Recorder>();

  constructor(metrics: MetricRegistry, options: RequestMetricsOptions) {
    this.#options = options;
    this.#families = requestFamilies(metrics);
    const kinds = (read: () => InFlight) => () => {
      const { reads, writes } = read();
      return [
        { labels: { request_kind: 'readOnly' }, value: reads },
        { labels: { request_kind: 'mutating' }, value: writes },
      ];
    };
    const labels = ['request_kind'] as const;
    metrics.callback(
      { name: 'apiserver_current_inflight_requests', help: 'Requests being worked on, by kind.', labels },
      kinds(options.inFlight),
    );
    metrics.callback(
      { name: 'apiserver_current_inqueue_requests', help: 'Requests that wait their turn, by kind.', labels },
      kinds(options.waiting),
    );
  }

  /** As upstream, a request is counted when the last byte of its answer has been sent: a watch when it ends. */
  readonly stage: Stage = (call, next) => {
    const { clock, resourceOf } = this.#options;
    const start = clock.monotonic();
    const open = isLongRunning(call.info)
      ? this.#families.longRunning.with(targetOf(call, resourceOf(call)))
      : undefined;
    open?.add(1);
    call.record.onFinish((sent) => {
      open?.add(-1);
      this.#record(call, sent, (clock.monotonic() - start) / 1000);
    });
    return next(call);
  };

  #record(call: Call, { code, bytes, outcome }: SentAnswer, seconds: number): void {
    const recorder = this.#recorder(call, code);
    const { target } = recorder;
    recorder.total.add();
    recorder.duration.observe(seconds);
    recorder.sli?.observe(seconds);
    recorder.answerSizes?.observe(bytes);
    if (recorder.bodySizes !== undefined) {
      const length = call.request.header('content-length');
      if (length !== undefined) recorder.bodySizes.observe(Number(length) || 0);
    }
    if (outcome === 'cut') this.#families.aborts.with(target).add();
    if (code === 429 || code === 504) this.#families.terminations.with({ ...target, code: String(code) }).add();
    if (call.principal.user.name === 'system:apiserver') this.#families.ownRequests.with(target).add();
  }

  #recorder(call: Call, code: number): Recorder {
    const { info } = call;
    const where = info.isResource ? `${info.group}/${info.version}/${info.resource}/${info.subresource}` : info.path;
    const key = `${metricVerb(call)} ${where} ${scopeOf(info)} ${dryRunOf(call.request)} ${code}`;
    const known = this.#recorders.get(key);
    if (known !== undefined) return known;
    const resource = this.#options.resourceOf(call);
    const recorder = this.#newRecorder(call, code, resource);
    const { target } = recorder;
    const isKnown = resource === undefined ? target.subresource !== '' : target.subresource === info.subresource;
    if (isKnown && this.#recorders.size < MAX_RECORDERS) this.#recorders.set(key, recorder);
    return recorder;
  }

  #newRecorder(call: Call, code: number, resource: Resource | undefined): Recorder {
    const { total, duration, sli, answerSizes, bodySizes, deprecated } = this.#families;
    const target = targetOf(call, resource);
    const labels = { ...target, dry_run: dryRunOf(call.request) };
    const { verb } = target;
    if (resource?.deprecation !== undefined) deprecated.with({ ...target, removed_release: '' }).set(1);
    return {
      target,
      total: total.with({ ...labels, code: String(code) }),
      duration: duration.with(labels),
      sli: isLongRunning(call.info) ? undefined : sli.with(target),
      answerSizes: verb === 'GET' || verb === 'LIST' ? answerSizes.with(target) : undefined,
      bodySizes:
        resource !== undefined && WRITES.has(verb)
          ? bodySizes.with({ group: target.group, resource: target.resource, verb: call.info.verb })
          : undefined,
    };
  }
}

/** More than all verbs on all resources; beyond that, series are looked up for each request. */
const MAX_RECORDERS = 20_000;

// oxlint-disable-next-line explicit-function-return-type -- the type is the object literal below
function requestFamilies(metrics: MetricRegistry) {
  return {
    total: metrics.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, dry run, target and response code.',
      labels: [...TARGET, 'dry_run', 'code'],
    }),
    duration: metrics.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Seconds from the arrival of a request to the end of its answer.',
      labels: [...TARGET, 'dry_run'],
      buckets: DURATION_BUCKETS,
    }),
    sli: metrics.histogram({
      name: 'apiserver_request_sli_duration_seconds',
      help: 'Seconds that requests take which are meant to be short, by target.',
      labels: TARGET,
      buckets: SLI_BUCKETS,
    }),
    answerSizes: metrics.histogram({
      name: 'apiserver_response_sizes',
      help: 'Bytes of the answers to reads, as they are sent.',
      labels: TARGET,
      buckets: ANSWER_SIZES,
    }),
    bodySizes: metrics.histogram({
      name: 'apiserver_request_body_size_bytes',
      help: 'Bytes that writes bring along, by resource and verb.',
      labels: ['group', 'resource', 'verb'],
      buckets: BODY_SIZES,
    }),
    longRunning: metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches and other long requests that are open.',
      labels: TARGET,
    }),
    terminations: metrics.counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server ended to protect itself: refused as too many, or over their deadline.',
      labels: [...TARGET, 'code'],
    }),
    aborts: metrics.counter({
      name: 'apiserver_request_aborts_total',
      help: 'Requests whose answer was not sent to the end.',
      labels: WITHOUT_COMPONENT,
    }),
    ownRequests: metrics.counter({
      name: 'apiserver_selfrequest_total',
      help: 'Requests that the server made of itself.',
      labels: ['verb', 'group', 'resource', 'subresource'],
    }),
    deprecated: metrics.gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated resources that have been asked for.',
      labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    }),
  };
}
