import { formatTime, instantOfMillis, matchLabelSelector, ValueError } from '../../api/client.ts';
import { isFinished } from '../../api/meaning/index.ts';
import { messageOf } from '../../base/index.ts';
import {
  Deployment,
  hasReason,
  ItemBackoff,
  keyOf,
  type KubernetesObject,
  type Observed,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  type Sendable,
  StatefulSet,
} from '../../client/index.ts';
import type { AppContext, EventRecorder, KeyedWorkers, Objects, PreparedPart, ProgramPart } from '../../kit/index.ts';
import { budgetStatus, disruptedPods, failedStatus } from './budget-status.ts';
import { type ExpectedPods, expectedPods } from './expected-pods.ts';
import { selectorText } from './selector-text.ts';

const NAME = 'disruption';
const COMPONENT = 'controllermanager';

/** Computes how many pods of each PodDisruptionBudget may be disrupted. */
export function disruptionController(): ProgramPart {
  return {
    name: NAME,
    sleepsWithout: [PodDisruptionBudget, Pod],
    sleepsThrough: ({ after }, { hasAny }) => !mayBecomeStale(after) && !hasAny(PodDisruptionBudget),
    prepare: (context) => new DisruptionController(context),
  };
}

class DisruptionController implements PreparedPart {
  readonly #context: AppContext;
  readonly #events: EventRecorder;
  readonly #budgets: Objects<PodDisruptionBudget>;
  readonly #pods: Objects<Pod>;
  readonly #syncs: KeyedWorkers;
  /** Keys of pods with a DisruptionTarget condition that may become stale. */
  readonly #stalePods: KeyedWorkers;

  constructor(context: AppContext) {
    this.#context = context;
    this.#events = context.events(COMPONENT);
    this.#budgets = context.objects(PodDisruptionBudget);
    this.#pods = context.objects(Pod);
    context.objects(Deployment);
    context.objects(ReplicaSet);
    context.objects(ReplicationController);
    context.objects(StatefulSet);
    this.#syncs = context.workers(NAME, {
      rateLimiter: new ItemBackoff(),
      isCoalescing: true,
      work: (key) => this.#sync(key),
    });
    this.#stalePods = context.workers('stale_pod_disruption', {
      rateLimiter: new ItemBackoff(),
      work: (key) => this.#clean(key),
    });
    this.#watch();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#syncs.run(signal), this.#stalePods.run(signal)]);
  }

  #watch(): void {
    const budgetChanged = (budget: Observed<PodDisruptionBudget>): void => this.#syncs.add(keyOf(budget));
    this.#context.onChange(PodDisruptionBudget, { add: budgetChanged, update: budgetChanged });
    const podChanged = (pod: Observed<Pod>): void => {
      for (const budget of this.#budgetsOf(pod)) budgetChanged(budget);
      const staleMs = untilStaleMs(pod, this.#context.clock.now());
      if (staleMs !== undefined) this.#stalePods.addAfter(keyOf(pod), staleMs);
    };
    this.#context.onChange(Pod, {
      add: podChanged,
      update: (pod) => podChanged(pod),
      delete: (pod) => {
        for (const budget of this.#budgetsOf(pod)) budgetChanged(budget);
      },
    });
  }

  /** The budgets that select the pod, normally at most one. */
  #budgetsOf(pod: Observed<Pod>): readonly Observed<PodDisruptionBudget>[] {
    const { namespace = '', name, labels } = pod.metadata;
    const budgets = this.#budgets.list({ namespace }).filter(({ spec }) => {
      const selector = matchLabelSelector(spec?.selector);
      return !(selector instanceof ValueError) && selector.matches(labels);
    });
    const [first] = budgets;
    if (first !== undefined && budgets.length > 1) {
      const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`;
      this.#events.event(pod, { type: 'Warning', reason: 'MultiplePodDisruptionBudgets', message });
    }
    return budgets;
  }

  async #sync(key: string): Promise<void> {
    const budget = this.#budgets.get(key);
    if (budget === undefined) return;
    try {
      await this.#update(budget);
    } catch (error) {
      if (hasReason(error, 'Conflict')) throw error;
      this.#context.log.error('budget cannot be calculated', { controller: NAME, object: key, error });
      const status = failedStatus(budget, messageOf(error), this.#context.clock.now());
      await this.#budgets.updateStatus({ ...budget, status });
    }
  }

  async #update(budget: Observed<PodDisruptionBudget>): Promise<void> {
    const nowMs = this.#context.clock.now();
    const selector = matchLabelSelector(budget.spec?.selector);
    if (selector instanceof ValueError) {
      const message = `Failed to get pods: ${selector.message}`;
      this.#events.event(budget, { type: 'Warning', reason: 'NoPods', message });
      throw selector;
    }
    const all = this.#pods.list({ namespace: budget.metadata.namespace ?? '' });
    const pods = all.filter(({ metadata }) => selector.matches(metadata.labels));
    if (pods.length === 0) this.#events.event(budget, { reason: 'NoPods', message: 'No matching pods found' });
    const expected = await this.#expected(budget, pods);
    const { disrupted, late, untilLateMs } = disruptedPods(budget, pods, nowMs);
    for (const pod of late) {
      const namespace = budget.metadata.namespace ?? '';
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`; // upstream prints the namespace twice
      this.#events.event(pod, { type: 'Warning', reason: 'NotDeleted', message });
    }
    const status = budgetStatus(budget, pods, { expected, disrupted, nowMs });
    if (status !== undefined) await this.#budgets.updateStatus({ ...budget, status });
    if (untilLateMs !== undefined) this.#syncs.addAfter(keyOf(budget), untilLateMs + 1);
  }

  async #expected(budget: Observed<PodDisruptionBudget>, pods: readonly Observed<Pod>[]): Promise<ExpectedPods> {
    try {
      const expected = await expectedPods(budget, pods, this.#context);
      if (expected.hasUnmanaged) this.#recordUnmanaged(budget);
      return expected;
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      this.#events.event(budget, { type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message });
      throw error;
    }
  }

  #recordUnmanaged(budget: Observed<PodDisruptionBudget>): void {
    const message =
      `Pods selected by this PodDisruptionBudget (selector: ${selectorText(budget.spec?.selector)}) were found ` +
      'to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
      'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
    this.#events.event(budget, { type: 'Warning', reason: 'UnmanagedPods', message });
  }

  /** Resets a stale DisruptionTarget condition. */
  async #clean(key: string): Promise<void> {
    const nowMs = this.#context.clock.now();
    const pod = this.#pods.get(key);
    const staleMs = pod === undefined ? undefined : untilStaleMs(pod, nowMs);
    if (pod === undefined || staleMs === undefined) return;
    if (staleMs > 0) this.#stalePods.addAfter(key, staleMs);
    else await this.#pods.updateStatus(undisrupted(pod, nowMs));
  }
}

const TARGET = 'DisruptionTarget';
const STALE_MS = 120_000;

/** Milliseconds until the pod's DisruptionTarget condition is stale; undefined when it has none that could be. */
function untilStaleMs(pod: Observed<Pod>, nowMs: number): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isFinished(pod)) return undefined;
  const condition = pod.status?.conditions?.find(({ type }) => type === TARGET);
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? '') + STALE_MS - nowMs);
}

/** Whether the object has a DisruptionTarget condition that may become stale. */
function mayBecomeStale(object: KubernetesObject | undefined): boolean {
  return (object as Pod | undefined)?.status?.conditions?.some(({ type }) => type === TARGET) ?? false;
}

/** The pod with its DisruptionTarget condition reset. */
function undisrupted(pod: Observed<Pod>, nowMs: number): Sendable<Pod> {
  const condition = {
    type: TARGET,
    status: 'False',
    observedGeneration: pod.metadata.generation,
    lastTransitionTime: formatTime(instantOfMillis(nowMs)),
  };
  const conditions = pod.status?.conditions?.map((each) => (each.type === TARGET ? condition : each));
  return { ...pod, status: { ...pod.status, conditions } };
}
