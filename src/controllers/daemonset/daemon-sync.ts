import { isFinished, isNamespaceTerminating } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { keyOf, type Observed } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { slowStart } from '../replicaset/index.ts';
import { newDaemonPod, nodeOfPod } from './daemon-pod.ts';
import type { DaemonSetView } from './daemon-view.ts';
import type { NodeFit } from './node-fit.ts';
import { type DaemonPlan, type NodePlanTools, planNode } from './node-plan.ts';

/** At most so many pods are created or deleted in one run; the rest follows when these are seen. */
const BURST_REPLICAS = 250;

type Pods = readonly Observed<Pod>[];

/** Pods by the node that they are on or meant for. Those that have ended and only wait for their deletion do not count. */
export function podsByTarget(pods: Pods): ReadonlyMap<string, Pods> {
  const byNode = new Map<string, Observed<Pod>[]>();
  for (const pod of pods) {
    const node = nodeOfPod(pod);
    if (node === undefined || (isFinished(pod) && pod.metadata.deletionTimestamp !== undefined)) continue;
    const others = byNode.get(node);
    if (others === undefined) byNode.set(node, [pod]);
    else others.push(pod);
  }
  return byNode;
}

/** What is to be done so that each node has the pod that it should have, be it old or new. */
export function planNodes(
  fits: ReadonlyMap<string, NodeFit>,
  pods: ReadonlyMap<string, Pods>,
  tools: NodePlanTools,
): DaemonPlan {
  const plans = [...fits].map(([name, fit]) => planNode(name, { fit, pods: pods.get(name) ?? [] }, tools));
  // Nobody else removes pods that wait for a node that is gone.
  const stranded = [...pods].flatMap(([node, all]) => (fits.has(node) ? [] : all.filter(isWaiting)));
  return {
    create: plans.flatMap(({ create }) => create),
    delete: [...plans.flatMap((plan) => plan.delete), ...stranded],
  };
}

function isWaiting({ spec }: Observed<Pod>): boolean {
  return (spec?.nodeName ?? '') === '';
}

export interface CarryOutTools {
  readonly set: DaemonSetView;
  readonly hash: string;
  readonly pods: Objects<Pod>;
  event(details: EventDetails): void;
}

/** Creates and deletes the pods of a plan, tells of it, and throws the first failure at the end. */
export async function carryOut(plan: DaemonPlan, tools: CarryOutTools): Promise<void> {
  const { set, hash, pods, event } = tools;
  const nodes = plan.create.slice(0, BURST_REPLICAS);
  const { failure } = await slowStart(nodes.length, async (index) => {
    try {
      const { metadata } = await pods.create(newDaemonPod(set, nodes[index] ?? '', hash));
      event({ reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
    } catch (error) {
      if (isNamespaceTerminating(error)) return; // there is nothing to be done about it, and nobody to tell
      event({ type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${messageOf(error)}` });
      throw error;
    }
  });
  const failures: unknown[] = failure === undefined ? [] : [failure];
  await Promise.all(
    plan.delete.slice(0, BURST_REPLICAS).map(async (pod) => {
      const { name } = pod.metadata;
      try {
        if (await pods.delete(keyOf(pod))) event({ reason: 'SuccessfulDelete', message: `Deleted pod: ${name}` });
      } catch (error) {
        event({ type: 'Warning', reason: 'FailedDelete', message: `Error deleting: ${messageOf(error)}` });
        failures.push(error);
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
