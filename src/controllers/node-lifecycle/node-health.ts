import type { Lease } from '../../api/types/coordination/v1.d.ts';
import type { Node, NodeCondition } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

/** Times without a sign of life after which a node counts as lost, in milliseconds. */
export interface GracePeriods {
  /** For a node that has never said how it is. */
  readonly startupMs: number;
  readonly monitorMs: number;
}

/** What is known of a node's signs of life. Times are ours, not the node's: its clock may be wrong. */
export interface NodeHealth {
  /** When the last sign of life was seen. */
  readonly seenMs: number;
  /** When the node said that it sent its status; undefined when it never has. */
  readonly heartbeat: string | undefined;
  readonly hasReady: boolean;
  /** When the node said that it renewed its lease. */
  readonly renewTime: string | undefined;
}

/** What a node tells by its status. */
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

/** What a node tells by renewing its lease. */
export function seeLease(health: NodeHealth, { spec }: Observed<Lease>, nowMs: number): NodeHealth {
  const renewTime = spec?.renewTime;
  const isRenewed = renewTime !== undefined && (health.renewTime === undefined || health.renewTime < renewTime);
  return isRenewed ? { ...health, renewTime, seenMs: nowMs } : health;
}

/** When the node counts as lost, if it gives no sign of life before. */
export function deadlineOf({ seenMs, hasReady }: NodeHealth, grace: GracePeriods): number {
  return seenMs + (hasReady ? grace.monitorMs : grace.startupMs);
}

/** What is unknown about a lost node. Whether its network is available is not for the node to say. */
const lostConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

type Conditions = readonly DeepReadonly<NodeCondition>[];

/** The conditions of a node that has been lost; undefined when they say so already. */
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

/** What the node's Ready condition says; undefined when there is none. */
export function readinessOf(node: Observed<Node>): Readiness | undefined {
  return conditionOf(node, 'Ready')?.status as Readiness | undefined;
}
