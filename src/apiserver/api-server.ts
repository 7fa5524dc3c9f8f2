import { type Clock, type Logger, type MetricRegistry, type Random, Turns, type UidSource } from '../base/index.ts';
import type { TypeTable } from '../api/index.ts';
import type { Authorizer } from './access/authorizer.ts';
import { Admission, type AdmissionPlugin } from './admission/admission.ts';
import type { Answer, EncodedAnswer } from './answers/answer.ts';
import { AnswerEncoder } from './answers/answer-encoder.ts';
import { Negotiator } from './answers/negotiator.ts';
import { DocumentWriter } from './discovery/document-writer.ts';
import { SubresourceTargets, type Services, Withdrawal } from './endpoint.ts';
import { TableOwnership } from './ownership/field-ownership.ts';
import { AccessMetrics } from './metrics/access-metrics.ts';
import { AdmissionMetrics } from './metrics/admission-metrics.ts';
import { countObjects } from './metrics/object-counts.ts';
import { RequestMetrics } from './metrics/request-metrics.ts';
import { WatchMetrics } from './metrics/watch-metrics.ts';
import type { ServerObjects } from './objects/server-objects.ts';
import type { Call } from './request/call.ts';
import type { Resource } from './resource.ts';
import { ResourceRegistry } from './resource-registry.ts';
import { SelfClient } from './self-client.ts';
import { type AnonymousRule, authenticate, type Authenticator } from './stages/authenticate.ts';
import { authorize } from './stages/authorize.ts';
import { catchFailures } from './stages/catch-failures.ts';
import { ConcurrencyLimiter, type ConcurrencyLimits, type RequestLimiter } from './stages/limit-concurrency.ts';
import { type Delegate, dispatch, type PathHandler } from './stages/dispatch.ts';
import { type Encode, type Interference, type Next, pipeline, type Stage } from './stages/stage.ts';
import type { InProcessCall } from './transport/in-process-call.ts';
import { silentObserver, type TransportObserver } from './transport/observer.ts';
import type { RequestHandler } from './transport/request-handler.ts';
import { TracePaths } from './trace/trace-paths.ts';
import { RequestTraces, traced } from './trace/trace-requests.ts';
import { noteWritten } from './trace/written-object.ts';
import { BookmarkRounds } from './verbs/bookmark-rounds.ts';
import { deleteAll } from './verbs/delete-all.ts';

export interface ApiServerOptions {
  readonly objects: ServerObjects;
  /** The served resources; default an empty registry. */
  readonly registry?: ResourceRegistry;
  /** The client for the server's own writes; default a new one. */
  readonly self?: SelfClient;
  readonly types: TypeTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  readonly authenticators: readonly Authenticator[];
  /** Which requests without credentials are allowed, as system:anonymous; default all. */
  readonly anonymousAuth?: boolean | AnonymousRule;
  /** Headers, besides the standard ones, that stages after authentication do not see. */
  readonly hiddenHeaders?: (name: string) => boolean;
  /** The impersonation stage, between authentication and authorization. */
  readonly impersonate?: (encode: Encode) => Stage;
  /** Limits the number of concurrent requests; default by `limits` alone. */
  readonly limiter?: (encode: Encode) => RequestLimiter;
  readonly authorizer: Authorizer;
  /** Records requests and their answers. */
  readonly audit?: Auditing;
  /** The admission plugins, in running order. */
  readonly admission: readonly AdmissionPlugin[];
  readonly limits?: Partial<ServerLimits>;
  /** For tests that inject faults into requests. */
  readonly interfere?: Interference;
  /** How many recent requests are kept with their traces; default none, except requests that ask for a trace. */
  readonly tracedRequests?: number;
}

/** The stages of an audit; each is optional. */
export interface Auditing {
  /** The outermost stage, for recording requests when they have finished. */
  readonly around?: Stage;
  /** Around authentication, to record its failures. */
  readonly authentication?: Stage;
  /** After authentication. The stages inside it never throw. */
  readonly stage?: Stage;
}

export interface ServerLimits extends ConcurrencyLimits {
  readonly maxBodyBytes: number;
  readonly minWatchSeconds: number;
}

/** Upstream's defaults. */
const DEFAULT_LIMITS: ServerLimits = {
  maxReads: 400,
  maxWrites: 200,
  maxBodyBytes: 3 * 1024 * 1024,
  minWatchSeconds: 1800,
};

/** The API server without its sockets: resources, and the stages that every request passes. */
export class ApiServer implements RequestHandler {
  readonly registry: ResourceRegistry;
  /** The objects of all kinds, for components inside the server. */
  readonly objects: ServerObjects;
  /** The client for the server's own writes. */
  readonly self: SelfClient;
  readonly services: Services;
  /** Encodes documents in the formats that clients ask for. */
  readonly documents: DocumentWriter;
  /** Counts connections and requests of a transport. */
  readonly observer: TransportObserver;
  /** The traces of recent requests. */
  readonly traces: RequestTraces;
  readonly #paths: PathHandler[] = [];
  readonly #delegates: Delegate[] = [];
  readonly #handle: Next;
  readonly #encoder: AnswerEncoder;

  constructor(options: ApiServerOptions) {
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { registry = new ResourceRegistry(options.objects), self = new SelfClient(options.clock) } = options;
    this.registry = registry;
    this.self = self;
    this.services = {
      clock: options.clock,
      random: options.random,
      uids: options.uids,
      log: options.log,
      types: options.types,
      bookmarks: new BookmarkRounds(options.clock, options.objects.store),
      turns: new Turns(),
      admission: new Admission(options.admission, new AdmissionMetrics(options.metrics, options.clock)),
      ownership: new TableOwnership((group, version, plural) => registry.find(group, version, plural)?.resource),
      maxBodyBytes: limits.maxBodyBytes,
      minWatchSeconds: limits.minWatchSeconds,
    };
    this.objects = options.objects;
    const { clock, log, types } = options;
    const encode: Encode = (answer, call) => {
      const { trace } = call.record;
      if (answer.type === 'status') trace?.answered(answer.status);
      if (trace !== undefined) noteWritten(answer, call, trace);
      return this.#encoder.encode(answer, call);
    };
    const limiter = options.limiter?.(encode) ?? new ConcurrencyLimiter(limits, clock);
    const metrics = new RequestMetrics(options.metrics, {
      clock,
      inFlight: () => limiter.inFlight,
      waiting: () => limiter.waiting,
      resourceOf: ({ info }) =>
        info.isResource ? this.registry.find(info.group, info.version, info.resource)?.resource : undefined,
    });
    const access = new AccessMetrics(options.metrics, clock);
    const watchMetrics = new WatchMetrics(options.metrics);
    this.observer = wireMetrics(options.metrics);
    countObjects(options.metrics, this.registry, options.objects.store);
    const negotiator = new Negotiator();
    this.#encoder = new AnswerEncoder({ types, clock, log, negotiator, watchMetrics });
    const { authorizer, tracedRequests = 0 } = options;
    this.traces = new RequestTraces({ keep: tracedRequests, clock, authorizer });
    const { audit } = options;
    // A slow delegate does not occupy this server's concurrency; it limits its requests itself.
    const isDelegated = (call: Call): boolean => this.#delegates.some((delegate) => delegate.answersFor(call));
    const stages: readonly Stage[] = [
      ...(audit?.around === undefined ? [] : [audit.around]),
      metrics.stage,
      this.traces.stage,
      catchFailures(log, encode),
      ...(audit?.authentication === undefined ? [] : [audit.authentication]),
      traced(
        'authentication',
        authenticate(options.authenticators, {
          metrics: access,
          anonymous: options.anonymousAuth,
          hides: options.hiddenHeaders,
        }),
      ),
      ...(audit?.stage === undefined ? [] : [audit.stage, catchFailures(log, encode)]),
      ...(options.impersonate === undefined ? [] : [options.impersonate(encode)]),
      traced('limits', (call, next) => (isDelegated(call) ? next(call) : limiter.stage(call, next))),
      traced('authorization', authorize(authorizer, encode, access)),
    ];
    this.#paths.push(new TracePaths(this.traces.recent));
    this.documents = new DocumentWriter(types, negotiator);
    const answer = dispatch({
      registry: this.registry,
      services: this.services,
      delegates: this.#delegates,
      paths: this.#paths,
      negotiator,
    });
    const { interfere } = options;
    const verb = interfere === undefined ? answer : (call: Call) => interfere(call, async (passed) => answer(passed));
    this.#handle = pipeline(stages, (call) => {
      const answered = verb(call);
      return answered instanceof Promise ? answered.then((made) => encode(made, call)) : encode(answered, call);
    });
    self.open(this);
  }

  /** Adds a handler for paths that are not resources; handlers are asked in the order in which they were added. */
  addPaths(handler: PathHandler): void {
    this.#paths.push(handler);
  }

  /** Adds a delegate that answers requests in this server's place; delegates are asked in the order in which they were added. */
  addDelegate(delegate: Delegate): void {
    this.#delegates.push(delegate);
  }

  /** Deletes all objects of a stored kind, whether it is served or not; objects with finalizers stay until these are removed. */
  async deleteAll(resource: Resource, signal: AbortSignal): Promise<void> {
    const { objects, services } = this;
    const endpoint = {
      resource,
      objects: objects.register(resource),
      services,
      withdrawal: new Withdrawal(),
      targets: new SubresourceTargets(resource),
    };
    try {
      await deleteAll(endpoint, signal);
    } finally {
      objects.withdraw(resource);
    }
  }

  handle(call: Call): EncodedAnswer | Promise<EncodedAnswer> {
    return this.#handle(call);
  }

  /**
   * Answers callers in the same process: the call passes the same stages, but the verb's answer is not encoded. The call is then finished,
   * except for a watch or a stream, which the caller finishes.
   */
  answer(call: InProcessCall): Answer | Promise<Answer> {
    call.takesObjects = true;
    const answer = this.#handle(call);
    return answer instanceof Promise ? answer.then((encoded) => asItIs(encoded, call)) : asItIs(answer, call);
  }

  encode(answer: Answer, call: Call): EncodedAnswer {
    return this.#encoder.toBytes(answer, call);
  }
}

function asItIs({ code, decoded }: EncodedAnswer, call: InProcessCall): Answer {
  if (decoded === undefined)
    throw new Error(`Cannot answer ${call.request.method} "${call.request.path}": a stage encoded the answer`);
  if (decoded.type !== 'watch' && decoded.type !== 'stream') call.finish({ code, bytes: 0, outcome: 'complete' });
  return decoded;
}

function wireMetrics(metrics: MetricRegistry): TransportObserver {
  const failures = metrics.counter({
    name: 'apiserver_tls_handshake_errors_total',
    help: 'Clients that connected and did not get through TLS.',
  });
  return { ...silentObserver, handshakeFailed: () => failures.with().add() };
}
