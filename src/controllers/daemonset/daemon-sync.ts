import { isFinished, isNamespaceTerminating } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { keyOf, type Observed } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { slowStart } from '../replicaset/index.ts';
import { newDaemonPod, nodeOfPod } from './daemon-pod.ts';
import type { DaemonSetView } from './daemon-view.ts';
import type { NodeFit } from './node-fit.ts';
import { type DaemonPlan, type NodePlanTools, planNode } from './node-plan.ts';

/** Maximum number of pods created or deleted per run; the next run continues once these are observed. */
const BURST_REPLICAS = 250;

type Pods = readonly Observed<Pod>[];

/** Pods by the node they are bound or pinned to, without finished pods that are being deleted. */
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

/** The creations and deletions that give each node the right number of pods, of any template. */
export function planNodes(
  fits: ReadonlyMap<string, NodeFit>,
  pods: ReadonlyMap<string, Pods>,
  tools: NodePlanTools,
): DaemonPlan {
  const plans = [...fits].map(([name, fit]) => planNode(name, { fit, pods: pods.get(name) ?? [] }, tools));
  // Pods pinned to a deleted node, which no other controller deletes.
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

/** Creates and deletes the pods of a plan and records events; throws the first failure at the end. */
export async function execute(plan: DaemonPlan, tools: CarryOutTools): Promise<void> {
  const { set, hash, pods, event } = tools;
  const nodes = plan.create.slice(0, BURST_REPLICAS);
  const { failure } = await slowStart(nodes.length, async (index) => {
    try {
      const { metadata } = await pods.create(newDaemonPod(set, nodes[index] ?? '', hash));
      event({ reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
    } catch (error) {
      if (isNamespaceTerminating(error)) return; // the namespace is terminating: nothing can be created, and no event can be stored
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
