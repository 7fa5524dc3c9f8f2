import { type AgentMetrics, agentMetrics } from './agent-metrics.ts';

/** The kinds of containers, as the kubelet's metrics name them. */
export type CountedKind = 'container' | 'init_container' | 'ephemeral_container';

/** What a node has started since its agent began, for its metrics. */
export class NodeCounts {
  /** All else, by the names of metrics. */
  readonly metrics: AgentMetrics = agentMetrics();
  pods = 0;
  /** Sandboxes that could not be created. */
  podErrors = 0;
  readonly containers = new Map<CountedKind, number>();
  /** Containers that could not be started, by the reason in their status. */
  readonly containerErrors = new Map<`${CountedKind} ${string}`, number>();

  started(kind: CountedKind): void {
    this.containers.set(kind, (this.containers.get(kind) ?? 0) + 1);
  }

  failed(kind: CountedKind, reason: string): void {
    const key = `${kind} ${reason}` as const;
    this.containerErrors.set(key, (this.containerErrors.get(key) ?? 0) + 1);
  }
}
