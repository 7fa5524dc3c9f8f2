import type { Lease } from '../../api/types/coordination/v1.d.ts';
import type { Node, NodeCondition } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

/** Times without a heartbeat after which a node is considered lost, in milliseconds. */
export interface GracePeriods {
  /** For a node that has never reported its status. */
  readonly startupMs: number;
  readonly monitorMs: number;
}

/** The last heartbeats of a node. Times are by the controller's clock: the node's may be wrong. */
export interface NodeHealth {
  /** When the last heartbeat was observed. */
  readonly seenMs: number;
  /** The node's time of its last status update; undefined when it has sent none. */
  readonly heartbeat: string | undefined;
  readonly hasReady: boolean;
  /** The node's time of its last lease renewal. */
  readonly renewTime: string | undefined;
}

/** Applies a node status. */
export function seeNode(health: NodeHealth | undefined, node: Observed<Node>, nowMs: number): NodeHealth {
  const ready = conditionOf(node, 'Ready');
  if (ready === undefined) {
    const seenMs = health?.seenMs ?? Date.parse(node.metadata.creationTimestamp);
    return { seenMs, heartbeat: undefined, hasReady: false, renewTime: health?.renewTime };
  }
  const isNew = health?.hasReady !== true || health.heartbeat !== ready.lastHeartbeatTime;
  const seenMs = isNew ? nowMs : health.seenMs;
  return { seenMs, heartbeat: ready.lastHeartbeatTime, hasReady: true, renewTime: health?.renewTime };
}

/** Applies a lease renewal. */
export function seeLease(health: NodeHealth, { spec }: Observed<Lease>, nowMs: number): NodeHealth {
  const renewTime = spec?.renewTime;
  const isRenewed = renewTime !== undefined && (health.renewTime === undefined || health.renewTime < renewTime);
  return isRenewed ? { ...health, renewTime, seenMs: nowMs } : health;
}

/** When the node is considered lost, if no heartbeat arrives before. */
export function deadlineOf({ seenMs, hasReady }: NodeHealth, grace: GracePeriods): number {
  return seenMs + (hasReady ? grace.monitorMs : grace.startupMs);
}

/** The conditions that become Unknown for a lost node. NetworkUnavailable is not reported by the kubelet. */
const lostConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

type Conditions = readonly DeepReadonly<NodeCondition>[];

/** The conditions of a lost node; undefined when they are already set. */
export function conditionsOfLost(node: Observed<Node>, now: string): Conditions | undefined {
  if (conditionOf(node, 'Ready')?.status === 'Unknown') return undefined;
  const conditions = [...(node.status?.conditions ?? [])];
  for (const type of lostConditions) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const known = conditions[index];
    if (known === undefined) conditions.push(neverReported(type, node, now));
    else if (known.status !== 'Unknown') {
      conditions[index] = {
        ...known,
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
        lastTransitionTime: now,
      };
    }
  }
  return conditions;
}

function neverReported(type: string, { metadata }: Observed<Node>, now: string): NodeCondition {
  return {
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: metadata.creationTimestamp,
    lastTransitionTime: now,
  };
}

export function conditionOf({ status }: Observed<Node>, type: string): DeepReadonly<NodeCondition> | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export type Readiness = 'True' | 'False' | 'Unknown';

/** The status of the node's Ready condition; undefined when there is none. */
export function readinessOf(node: Observed<Node>): Readiness | undefined {
  return conditionOf(node, 'Ready')?.status as Readiness | undefined;
}
