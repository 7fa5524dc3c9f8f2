import { formatTime, instantOfMillis } from '../../api/client.ts';
import { isFinished } from '../../api/meaning/index.ts';
import {
  type Counter,
  describeError,
  type LogFields,
  type Logger,
  type MetricFamily,
  type MetricRegistry,
} from '../../base/index.ts';
import { hasReason, keyOf, Node, type Observed, Pod } from '../../client/index.ts';
import {
  type AppContext,
  inParallel,
  type Objects,
  type ProgramPart,
  Passes,
  type PreparedPart,
} from '../../kit/index.ts';
import { disruptionTarget, podStatusPatch } from '../pod-disruption.ts';
import { NodeQuarantine } from './node-quarantine.ts';
import { isOutOfService, isTerminated, isTerminating, surplusOf } from './pod-selection.ts';

/** Why a pod is force-deleted, in the words of kube-controller-manager. */
type DeletionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled';

type PodCounter = MetricFamily<'namespace' | 'reason', Counter>;

interface PodGcMetrics {
  readonly deleted: PodCounter;
  readonly failed: PodCounter;
}

export interface PodGcOptions {
  /** Maximum number of terminated pods kept; default 12,500, 0 keeps all. */
  readonly terminatedPodThreshold?: number;
}

const NAME = 'pod-garbage-collector';
const PERIOD_MS = 20_000;
const QUARANTINE_MS = 40_000;
const DELETIONS_AT_ONCE = 20;

/**
 * Deletes pods that no other component would delete: terminated ones beyond a limit, those on nodes that are gone or
 * out of service, and those that were deleted before they had a node.
 */
export function podGc(options: PodGcOptions = {}): ProgramPart {
  const { terminatedPodThreshold = 12_500 } = options;
  return {
    name: NAME,
    sleepsWithout: [Pod],
    prepare: (context) => new PodCollection(context, terminatedPodThreshold),
  };
}

class PodCollection implements PreparedPart {
  readonly #context: AppContext;
  readonly #threshold: number;
  readonly #log: Logger;
  readonly #pods: Objects<Pod>;
  readonly #nodes: Objects<Node>;
  readonly #passes: Passes;
  readonly #quarantine = new NodeQuarantine({ periodMs: QUARANTINE_MS });
  readonly #metrics: PodGcMetrics;
  #hasFailed = false;

  constructor(context: AppContext, threshold: number) {
    this.#context = context;
    this.#threshold = threshold;
    this.#log = context.log.with({ controller: NAME });
    this.#metrics = podGcMetrics(context.metrics);
    this.#pods = context.objects(Pod);
    this.#nodes = context.objects(Node);
    this.#passes = new Passes(context, NAME, { period: PERIOD_MS, pass: () => this.#collect() });
    this.#watchPods();
    this.#watchNodes();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#passes.run(signal);
  }

  #watchPods(): void {
    const isLost = ({ spec }: Observed<Pod>): boolean => this.#isNodeMissing(spec?.nodeName);
    const concerns = [isTerminated, isTerminating, isLost];
    this.#context.onChange(Pod, {
      add: (pod) => {
        if (concerns.some((concern) => concern(pod))) this.#passes.request();
      },
      update: (pod, old) => {
        if (concerns.some((concern) => concern(pod) && !concern(old))) this.#passes.request();
      },
    });
  }

  #watchNodes(): void {
    const request = (): void => this.#passes.request();
    this.#context.onChange(Node, {
      add: (node) => void (isOutOfService(node) && request()),
      update: (node, old) => void (isOutOfService(node) && !isOutOfService(old) && request()),
      delete: request,
    });
  }

  async #collect(): Promise<void> {
    this.#hasFailed = false;
    const pods = this.#pods.list();
    if (this.#threshold > 0) await this.#deleteAll(surplusOf(pods, this.#threshold), 'terminated');
    const isLost = (pod: Observed<Pod>): boolean => isTerminating(pod) && this.#isOnLostNode(pod);
    await this.#deleteAll(pods.filter(isLost), 'out-of-service');
    await this.#deleteOrphans(pods);
    const isUnscheduled = (pod: Observed<Pod>): boolean => isTerminating(pod) && (pod.spec?.nodeName ?? '') === '';
    await this.#deleteAll(pods.filter(isUnscheduled), 'unscheduled');
    if (this.#hasFailed) this.#passes.request();
  }

  async #deleteOrphans(pods: readonly Observed<Pod>[]): Promise<void> {
    const nowMs = this.#context.clock.monotonic();
    for (const { spec } of pods) {
      if (this.#isNodeMissing(spec?.nodeName)) this.#quarantine.add(spec?.nodeName ?? '', nowMs);
    }
    const gone = new Set<string>();
    for (const node of this.#quarantine.release(nowMs)) {
      if (await this.#isGone(node)) gone.add(node);
    }
    const nextMs = this.#quarantine.nextDueMs;
    if (nextMs !== undefined) this.#passes.request(nextMs);
    const orphans = pods.filter(({ spec }) => gone.has(spec?.nodeName ?? ''));
    await this.#deleteAll(orphans, 'orphaned');
  }

  /** Sets an unfinished pod to Failed before deleting it, because no kubelet will. */
  async #deleteAll(pods: readonly Observed<Pod>[], reason: DeletionReason): Promise<void> {
    await inParallel(pods, (pod) => this.#delete(pod, reason), { limit: DELETIONS_AT_ONCE });
  }

  async #delete(pod: Observed<Pod>, reason: DeletionReason): Promise<void> {
    const key = keyOf(pod);
    const message = reason === 'orphaned' ? 'PodGC: node no longer exists' : undefined;
    const labels = { namespace: pod.metadata.namespace ?? '', reason };
    this.#log.info('pod is force-deleted', { pod: key, why: message });
    try {
      if (!isFinished(pod)) await this.#pods.patchStatus(key, this.#failure(pod, message));
      await this.#pods.delete(key, { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } });
      this.#metrics.deleted.with(labels).add();
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      this.#metrics.failed.with(labels).add();
      this.#failed('pod not deleted', { pod: key, error: describeError(error) });
    }
  }

  /** Asks the API server before the node's pods are deleted, because the cache may be stale. */
  async #isGone(node: string): Promise<boolean> {
    if (this.#nodes.get(node) !== undefined) return false;
    try {
      return (await this.#nodes.fetch(node)) === undefined;
    } catch (error) {
      this.#failed('cannot ask for node', { node, error: describeError(error) });
      return false;
    }
  }

  #failed(message: string, fields: LogFields): void {
    this.#hasFailed = true;
    this.#log.warn(message, fields);
  }

  #failure(pod: Observed<Pod>, message: string | undefined): ReturnType<typeof podStatusPatch> {
    const now = formatTime(instantOfMillis(this.#context.clock.now()));
    const condition =
      message === undefined ? undefined : disruptionTarget(pod, { reason: 'DeletionByPodGC', message, now });
    const { generation: observedGeneration } = pod.metadata;
    const conditions = condition === undefined ? [] : [condition];
    return podStatusPatch(pod, { phase: 'Failed', observedGeneration, conditions });
  }

  #isOnLostNode({ spec }: Observed<Pod>): boolean {
    const node = this.#nodes.get(spec?.nodeName ?? '');
    return node !== undefined && isOutOfService(node);
  }

  #isNodeMissing(name: string | undefined): boolean {
    return name !== undefined && name !== '' && this.#nodes.get(name) === undefined;
  }
}

/** Metrics of force-deleted pods. */
function podGcMetrics(metrics: MetricRegistry): PodGcMetrics {
  const counter = (name: string, help: string): PodCounter =>
    metrics.counter({ name: `pod_gc_collector_${name}_total`, help, labels: ['namespace', 'reason'] });
  return {
    deleted: counter('force_delete_pods', 'Pods deleted by force.'),
    failed: counter('force_delete_pod_errors', 'Pods that could not be deleted by force.'),
  };
}
