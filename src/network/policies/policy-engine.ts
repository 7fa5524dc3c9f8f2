import {
  Backoff,
  type Counter,
  type Histogram,
  type MetricRegistry,
  nextTurn,
  onAbort,
  runTogether,
  Slice,
  Turns,
} from '../../base/index.ts';
import {
  type HandlerRegistration,
  InformerFactory,
  keyOf,
  Namespace,
  NetworkPolicy,
  type Observed,
  Pod,
  type SharedInformer,
} from '../../client/index.ts';
import type { AppContext, Part, PreparedPart } from '../../kit/index.ts';
import { Attachments, type PodIdentity } from './attachments.ts';
import { networkPolicyStatement } from './network-policy-statement.ts';
import { leanPod, policedPod } from './policed-pod.ts';
import { PolicyResolver } from './policy-resolver.ts';
import type { PolicyStatement } from './policy-statement.ts';
import type { PolicyChanges } from './resolved-policy.ts';

/** Takes policies, as they change. A handler of changes returns what `set` does, so that many policies do not hold up other work. */
export interface PolicySink {
  set(statement: PolicyStatement): void | Promise<void>;
  delete(key: string): void;
}

/** Where an engine's policies come from: registers handlers with the context that fill the sink. */
export type PolicyFeed = (context: AppContext, sink: PolicySink) => void;

export interface PolicyEngineOptions {
  /** The node whose pods are isolated. */
  readonly node: string;
  /** Default the NetworkPolicies of the cluster. */
  readonly policies?: PolicyFeed;
  /**
   * Puts changes into effect. The first ones are everything there is, once all objects are known; the next ones wait until this has
   * resolved. When it rejects, everything is delivered again after a while.
   */
  apply(changes: PolicyChanges, signal: AbortSignal): Promise<void>;
}

/** Resolves policies for the pods of a node and delivers what changes, as a part of an app. */
export interface PolicyEngine extends Part {
  /** False before everything has been applied once, and while changes cannot be applied. */
  readonly isInForce: boolean;
  /** Delivers everything again: what has been applied is lost. */
  resync(): void;
  /**
   * The node has given the pod these addresses, which its status may not show yet. Resolves when they have been applied; rejects when the
   * signal aborts first.
   */
  attached(pod: PodIdentity, addresses: readonly string[], signal: AbortSignal): Promise<void>;
  /** The pod has lost its addresses, although its status may still show them. */
  detached(pod: PodIdentity): void;
}

const RETRY = { initialMs: 200, capMs: 30_000, jitter: 0.2 };
const READ = ['get', 'list', 'watch'];

/**
 * An engine of policies: who may talk to whom, for the pods of one node, as incremental changes.
 *
 * Example: `app('my-engine', [policyEngine({ node: 'n1', apply: async (changes) => filter.apply(changes) })])`
 */
export function policyEngine(options: PolicyEngineOptions): PolicyEngine {
  const attachments = new Attachments();
  let running: RunningEngine | undefined;
  return {
    name: 'policy-engine',
    needs: [
      { group: '', resource: 'pods', verbs: READ },
      { group: '', resource: 'namespaces', verbs: READ },
      ...(options.policies === undefined
        ? [{ group: 'networking.k8s.io', resource: 'networkpolicies', verbs: READ }]
        : []),
    ],
    prepare: (context) => (running = new RunningEngine(context, options, attachments)),
    get isInForce() {
      return running?.isInForce ?? false;
    },
    resync: () => running?.resync(),
    attached: (pod, addresses, signal) => {
      const applied = attachments.add(pod, addresses, signal);
      running?.attached(pod, addresses);
      return applied;
    },
    detached: (pod) => {
      attachments.remove(pod);
      running?.detached(pod);
    },
  };
}

/** The NetworkPolicies of the cluster. */
const networkPolicies: PolicyFeed = (context, sink) => {
  const set = (policy: Observed<NetworkPolicy>): void | Promise<void> => sink.set(networkPolicyStatement(policy));
  context.onChange(NetworkPolicy, { add: set, update: set, delete: (policy) => sink.delete(keyOf(policy)) });
};

class RunningEngine implements PreparedPart {
  readonly #context: AppContext;
  readonly #options: PolicyEngineOptions;
  readonly #attachments: Attachments;
  readonly #resolver: PolicyResolver;
  readonly #metrics: EngineMetrics;
  readonly #slice: Slice;
  readonly #backoff: Backoff;
  /** True when there may be changes to deliver. */
  #isChanged = true;
  /** Everything is to be delivered, not only what has changed. */
  #wantsWhole = true;
  /** False before everything has been applied once, and while changes cannot be applied. */
  isInForce = false;
  #state: 'filling' | 'waiting' | 'applying' | 'resting' = 'filling';
  #wake: (() => void) | undefined;
  #pods: SharedInformer<Pod> | undefined;
  #handling: HandlerRegistration<Pod> | undefined;

  constructor(context: AppContext, options: PolicyEngineOptions, attachments: Attachments) {
    const { clock, random, metrics } = context;
    this.#context = context;
    this.#options = options;
    this.#attachments = attachments;
    this.#resolver = new PolicyResolver(options.node);
    this.#metrics = metrics.shared(engineMetrics);
    this.#slice = new Slice(new Turns(), clock);
    this.#backoff = new Backoff(RETRY, random);
    for (const each of attachments.addresses.values()) this.#resolver.attach(each, each.addresses);
    const { policies = networkPolicies } = options;
    policies(context, {
      set: (statement) => this.#changed(() => this.#resolver.setPolicy(statement)),
      delete: (key) => void this.#changed(() => this.#resolver.removePolicy(key)),
    });
    const setNamespace = ({ metadata }: Observed<Namespace>): void | Promise<void> =>
      this.#changed(() => this.#resolver.setNamespace(metadata.name, metadata.labels ?? {}));
    context.onChange(Namespace, {
      add: setNamespace,
      update: setNamespace,
      delete: ({ metadata }) => this.#changed(() => this.#resolver.setNamespace(metadata.name, undefined)),
    });
  }

  get isIdle(): boolean {
    const isTaking = this.#pods?.health.state === 'fetching' || (this.#handling?.pending ?? 0) > 0;
    return !isTaking && (this.#state === 'resting' || (this.#state === 'waiting' && !this.#isChanged));
  }

  async run(signal: AbortSignal): Promise<void> {
    const informers = new InformerFactory(this.#context.client);
    const setPod = (pod: Observed<Pod>): void | Promise<void> => {
      const policed = policedPod(pod);
      return this.#changed(() =>
        policed === undefined ? this.#resolver.removePod(keyOf(pod)) : this.#resolver.setPod(policed),
      );
    };
    this.#pods = informers.informer(Pod, { transform: leanPod });
    const handling = this.#pods.addHandler({
      add: setPod,
      update: setPod,
      delete: (pod) => this.#changed(() => this.#resolver.removePod(keyOf(pod))),
    });
    this.#handling = handling;
    const deliver = async (scope: AbortSignal): Promise<void> => {
      await handling.synced(scope);
      await this.#deliver(scope);
    };
    await runTogether([informers, { run: deliver }], signal);
  }

  resync(): void {
    this.#wantsWhole = true;
    this.#note();
  }

  attached(pod: PodIdentity, addresses: readonly string[]): void {
    this.#resolver.attach(pod, addresses);
    this.#note();
  }

  detached(pod: PodIdentity): void {
    this.#resolver.detach(pod);
    this.#note();
  }

  /** Takes in a change, and yields when changes have been taken in for long. */
  #changed(change: () => void): void | Promise<void> {
    change();
    this.#note();
    return this.#slice.isOver ? this.#slice.next() : undefined;
  }

  #note(): void {
    this.#isChanged = true;
    this.#wake?.();
  }

  async #deliver(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#state = 'waiting';
      await this.#untilChanged(signal);
      await nextTurn(); // changes that arrived together are delivered together
      if (signal.aborted) return;
      this.#state = 'applying';
      if (await this.#applyChanges(signal)) continue;
      this.#state = 'resting';
      await this.#context.clock.sleep(this.#backoff.nextMs(), signal);
    }
  }

  /** False when they could not be applied. */
  async #applyChanges(signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#context;
    this.#isChanged = false;
    const waiting = this.#attachments.waiting(({ key, uid }) => this.#resolver.hasPod(key, uid));
    const isWhole = this.#wantsWhole;
    this.#wantsWhole = false;
    const changes = this.#resolver.takeChanges({ isWhole });
    if (changes !== undefined) {
      const beganMs = clock.monotonic();
      try {
        await this.#options.apply(changes, signal);
      } catch (error) {
        this.#wantsWhole = this.#isChanged = true;
        this.isInForce = false;
        if (signal.aborted) return false;
        this.#metrics.failures.add();
        log.error('policies cannot be put into effect, will be tried again', { error });
        return false;
      }
      this.#metrics.durations.observe((clock.monotonic() - beganMs) / 1000);
      this.#backoff.reset();
    }
    this.isInForce = true;
    for (const each of waiting) each.resolve();
    return true;
  }

  #untilChanged(signal: AbortSignal): Promise<void> {
    if (this.#isChanged || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        aborting[Symbol.dispose]();
        this.#wake = undefined;
        resolve();
      };
      const aborting = onAbort(signal, wake);
      this.#wake = wake;
    });
  }
}

interface EngineMetrics {
  readonly durations: Histogram;
  readonly failures: Counter;
}

function engineMetrics(registry: MetricRegistry): EngineMetrics {
  return {
    durations: registry
      .histogram({
        name: 'keelson_policy_engine_apply_duration_seconds',
        help: 'Time that changes of policies took until they were in effect.',
      })
      .with(),
    failures: registry
      .counter({
        name: 'keelson_policy_engine_apply_failures_total',
        help: 'Changes of policies that could not be put into effect.',
      })
      .with(),
  };
}
