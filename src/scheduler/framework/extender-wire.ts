import type { Node, Observed, Pod } from '../../client/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { ExtenderVerdict, Victims } from './extender.ts';
import { GoMembers, goMismatch } from './go-members.ts';

interface SentObject {
  readonly metadata: object;
  readonly spec: object | undefined;
  readonly status: object | undefined;
}

/** The body of filter and prioritize: nodes, or node names if the extender caches nodes itself. */
export interface ExtenderArgs {
  readonly Pod: SentObject;
  readonly Nodes: { readonly metadata: object; readonly items: readonly SentObject[] } | null;
  readonly NodeNames: readonly string[] | null;
}

/** The body of preempt. */
export interface ExtenderPreemptionArgs {
  readonly Pod: SentObject;
  readonly NodeNameToVictims: Readonly<Record<string, WireVictims>> | null;
  readonly NodeNameToMetaVictims: Readonly<Record<string, MetaVictims>> | null;
}

export interface WireVictims {
  readonly Pods: readonly SentObject[];
  readonly NumPDBViolations: number;
}

export interface MetaVictims {
  readonly Pods: readonly { readonly UID: string }[];
  readonly NumPDBViolations: number;
}

export interface ExtenderBindingArgs {
  readonly PodName: string;
  readonly PodNamespace: string;
  readonly PodUID: string;
  readonly Node: string;
}

/** Whether names are sent in place of objects, because the extender caches nodes and pods itself. */
interface Brevity {
  readonly isByName: boolean;
}

export function extenderArgs(pod: PodInfo, nodes: readonly NodeInfo[], { isByName }: Brevity): ExtenderArgs {
  return {
    Pod: sent(pod.pod),
    Nodes: isByName
      ? null
      : { metadata: {}, items: nodes.flatMap(({ node }) => (node === undefined ? [] : sent(node))) },
    NodeNames: isByName ? nodes.map(({ name }) => name) : null,
  };
}

export function preemptionArgs(
  pod: PodInfo,
  victims: ReadonlyMap<string, Victims>,
  { isByName }: Brevity,
): ExtenderPreemptionArgs {
  const byNode = <T>(show: (one: PodInfo) => T): Record<string, { Pods: T[]; NumPDBViolations: number }> =>
    Object.fromEntries(
      Array.from(victims, ([name, { pods, budgetViolations }]) => [
        name,
        { Pods: pods.map(show), NumPDBViolations: budgetViolations },
      ]),
    );
  return {
    Pod: sent(pod.pod),
    NodeNameToVictims: isByName ? null : byNode((one) => sent(one.pod)),
    NodeNameToMetaVictims: isByName ? byNode(({ uid }) => ({ UID: uid })) : null,
  };
}

export function bindingArgs({ pod: { metadata } }: PodInfo, nodeName: string): ExtenderBindingArgs {
  return {
    PodName: metadata.name,
    PodNamespace: metadata.namespace ?? '',
    PodUID: metadata.uid,
    Node: nodeName,
  };
}

/** The object as kube-scheduler sends it: without kind, apiVersion and managedFields. */
function sent({ metadata, spec, status }: Observed<Node> | Observed<Pod>): SentObject {
  const { managedFields: _, ...others } = metadata;
  return { metadata: others, spec, status };
}

/** Parses an ExtenderFilterResult; throws the error in it. */
export function readFilterResult(answer: unknown, { isByName }: Brevity): ExtenderVerdict {
  const result = new GoMembers(answer, 'ExtenderFilterResult');
  const error = result.text('Error');
  const names = result.texts('NodeNames');
  const items = result.object('Nodes', 'NodeList')?.list('items');
  const failed = result.textMap('FailedNodes');
  const unresolvable = result.textMap('FailedAndUnresolvableNodes');
  if (error !== '') throw new Error(error);
  const nodes =
    isByName && names !== undefined
      ? names
      : (items ?? []).map((item) => new GoMembers(item, 'Node').object('metadata', 'ObjectMeta')?.text('name') ?? '');
  return { nodes, failed, unresolvable };
}

/** Parses a HostPriorityList; repeated scores of a node are added. */
export function readPriorities(answer: unknown): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  if (answer !== null && !Array.isArray(answer)) throw goMismatch(answer, 'Go value of type v1.HostPriorityList');
  for (const item of answer ?? []) {
    const priority = new GoMembers(item, 'HostPriority');
    const host = priority.text('Host');
    scores.set(host, (scores.get(host) ?? 0) + priority.integer('Score'));
  }
  return scores;
}

/** Parses an ExtenderPreemptionResult: by node, the UIDs of the victims and the number of PDB violations. */
export function readPreemptionResult(
  answer: unknown,
): ReadonlyMap<string, { readonly uids: readonly string[]; readonly budgetViolations: number }> {
  const result = new GoMembers(answer, 'ExtenderPreemptionResult');
  return new Map(
    result.map('NodeNameToMetaVictims', 'map[string]*v1.MetaVictims').map(([name, value]) => {
      const victims = new GoMembers(value, 'MetaVictims');
      const uids = (victims.list('Pods') ?? []).map((pod) => new GoMembers(pod, 'MetaPod').text('UID'));
      return [name, { uids, budgetViolations: victims.integer('NumPDBViolations') }];
    }),
  );
}

/** Parses an ExtenderBindingResult; throws the error in it. */
export function readBindingResult(answer: unknown): void {
  const error = new GoMembers(answer, 'ExtenderBindingResult').text('Error');
  if (error !== '') throw new Error(error);
}
