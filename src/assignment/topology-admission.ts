import { type Clock, messageOf } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { ContainerSpec, Refusal } from '../node/index.ts';
import type { AssignmentMetrics } from './assignment-metrics.ts';
import type { TopologyAgreement } from './topology-agreement.ts';
import { AdmissionError, type HintProvider, NO_AGREEMENT, type TopologyHint } from './topology-hints.ts';

export interface TopologyAdmissionParts {
  /** Asked in this order. */
  readonly providers: readonly HintProvider[];
  /** Undefined for the policy `none`, which gives out resources without an agreement. */
  readonly agreement: TopologyAgreement | undefined;
  /** What shares one agreement: each container alone, or all containers of a pod. */
  readonly scope: 'container' | 'pod';
  /** Whether what was agreed on is always near to each other: not so where the policy takes what it can get. */
  readonly isGuaranteed: boolean;
  readonly metrics: AssignmentMetrics;
  readonly clock: Clock;
}

/** Gives a new pod processors, memory and devices near to each other, or rejects it. */
export class TopologyAdmission {
  readonly #parts: TopologyAdmissionParts;
  /** The admission before: hints must still be true when their resources are allocated. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(parts: TopologyAdmissionParts) {
    this.#parts = parts;
  }

  admit(pod: Observed<Pod>): Promise<Refusal | undefined> {
    if (this.#parts.agreement === undefined) return this.#admit(pod);
    const admitted = this.#before.then(() => this.#admit(pod));
    this.#before = admitted.catch(() => undefined);
    return admitted;
  }

  async #admit(pod: Observed<Pod>): Promise<Refusal | undefined> {
    const { metrics, clock } = this.#parts;
    const beganMs = clock.monotonic();
    metrics.add('kubelet_topology_manager_admission_requests_total');
    try {
      await this.#allocateAll(pod);
      return undefined;
    } catch (error) {
      metrics.add('kubelet_topology_manager_admission_errors_total');
      await this.release(pod.metadata.uid);
      if (error instanceof AdmissionError) return { reason: error.reason, message: error.message };
      const message = `Allocate failed due to ${messageOf(error)}, which is unexpected`;
      return { reason: 'UnexpectedAdmissionError', message };
    } finally {
      metrics.observe('kubelet_topology_manager_admission_duration_ms', clock.monotonic() - beganMs);
    }
  }

  async release(podUid: string): Promise<void> {
    for (const provider of this.#parts.providers) await provider.release(podUid);
  }

  async #allocateAll(pod: Observed<Pod>): Promise<void> {
    const { providers, agreement, scope } = this.#parts;
    const ofPod = agreement !== undefined && scope === 'pod' ? this.#agree(pod) : undefined;
    for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
      const affinity = ofPod ?? this.#agree(pod, container);
      for (const provider of providers) await provider.allocate(pod, container, affinity);
      if (ofPod === undefined) this.#aligned('container');
    }
    if (ofPod !== undefined) this.#aligned('pod');
  }

  #agree(pod: Observed<Pod>, container?: ContainerSpec): TopologyHint {
    const { providers, agreement } = this.#parts;
    if (agreement === undefined) return NO_AGREEMENT;
    const hints = providers.map((each) => (container === undefined ? each.podHints(pod) : each.hints(pod, container)));
    const { affinity, isAccepted } = agreement.reach(hints);
    if (!isAccepted) {
      this.#aligned(container === undefined ? 'pod' : 'container', { isFailure: true });
      throw new AdmissionError('TopologyAffinityError', 'Resources cannot be allocated with Topology locality');
    }
    return affinity;
  }

  #aligned(scope: 'container' | 'pod', { isFailure = false } = {}): void {
    const { metrics, isGuaranteed } = this.#parts;
    if (!isGuaranteed) return;
    const suffix = isFailure ? 'failure_count' : 'count';
    metrics.add(`kubelet_container_aligned_compute_resources_${suffix}`, { boundary: 'numa_node', scope });
  }
}
