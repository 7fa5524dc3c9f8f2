import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Extender, PreemptOptions, Victims } from './extender.ts';
import {
  bindingArgs,
  extenderArgs,
  preemptionArgs,
  readBindingResult,
  readFilterResult,
  readPreemptionResult,
  readPriorities,
} from './extender-wire.ts';
import type { StepOptions } from './plugin.ts';

/** The operations of an extender; each has a configurable path segment in the URL. */
export type ExtenderVerb = 'filter' | 'prioritize' | 'preempt' | 'bind';

/** How to call an extender, independent of the transport. */
export interface ExtenderCalls {
  readonly name: string;
  readonly verbs: ReadonlySet<ExtenderVerb>;
  readonly weight?: number;
  readonly isIgnorable?: boolean;
  /** Whether the extender caches nodes itself, and is sent node names. */
  readonly isNodeCacheCapable?: boolean;
  /** The extender applies to pods that request one of these resources; to all pods if empty. */
  readonly managedResources?: readonly string[];
  /** The managed resources that only the extender counts: NodeResourcesFit skips them. */
  readonly ignoredResources?: readonly string[];
  /** Sends the arguments and resolves with the response, both as JSON values. */
  send(verb: ExtenderVerb, args: object, options: StepOptions): Promise<unknown>;
  close?(): void;
}

/** An extender that speaks kube-scheduler's extender protocol over `calls`. */
export function extenderBy(calls: ExtenderCalls): Extender {
  const { name, verbs, weight, isIgnorable, managedResources = [], isNodeCacheCapable: isByName = false } = calls;
  const asked = (verb: ExtenderVerb, args: object, { signal }: StepOptions): Promise<unknown> =>
    calls.send(verb, args, { signal });
  const nodesAsked = (verb: ExtenderVerb, pod: PodInfo, nodes: readonly NodeInfo[], options: StepOptions) =>
    asked(verb, extenderArgs(pod, nodes, { isByName }), options);
  const all: Required<Pick<Extender, ExtenderVerb>> = {
    filter: async (pod, nodes, options) =>
      readFilterResult(await nodesAsked('filter', pod, nodes, options), { isByName }),
    prioritize: async (pod, nodes, options) => readPriorities(await nodesAsked('prioritize', pod, nodes, options)),
    preempt: async (pod, victims, options) => {
      const answer = readPreemptionResult(await asked('preempt', preemptionArgs(pod, victims, { isByName }), options));
      return new Map(
        Array.from(answer, ([node, chosen]) => [node, victimsOf(name, node, { ...chosen, victims, options })]),
      );
    },
    bind: async (pod, nodeName, options) => readBindingResult(await asked('bind', bindingArgs(pod, nodeName), options)),
  };
  const served = Object.fromEntries([...verbs].map((verb) => [verb, all[verb]])) as Partial<typeof all>;
  return {
    name,
    ...(isIgnorable === undefined ? {} : { isIgnorable }),
    ...(weight === undefined ? {} : { weight }),
    ...(calls.ignoredResources === undefined ? {} : { ignoredResources: calls.ignoredResources }),
    ...(managedResources.length === 0 ? {} : { isInterested: interestIn(new Set(managedResources)) }),
    ...served,
    close: () => calls.close?.(),
  };
}

function interestIn(managed: ReadonlySet<string>): (pod: PodInfo) => boolean {
  return ({ pod: { spec } }) =>
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ resources }) =>
      [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some((name) =>
        managed.has(name),
      ),
    );
}

interface ChosenVictims {
  readonly uids: readonly string[];
  readonly budgetViolations: number;
  readonly victims: ReadonlyMap<string, Victims>;
  readonly options: PreemptOptions;
}

/** Resolves the victims that an extender named by UID. */
function victimsOf(
  extender: string,
  node: string,
  { uids, budgetViolations, victims, options: { snapshot } }: ChosenVictims,
): Victims {
  const there = snapshot === undefined ? victims.get(node)?.pods : snapshot.get(node)?.pods;
  if (there === undefined) throw new Error(`nodeinfo not found for node name "${node}"`);
  const byUid = new Map(there.map((pod) => [pod.uid, pod]));
  const pods = uids.map((uid) => {
    const pod = byUid.get(uid);
    if (pod !== undefined) return pod;
    throw new Error(
      `extender: ${extender} claims to preempt pod (UID: &{${uid}}) on node: ${node}, but the pod is not found on that node`,
    );
  });
  return { pods, budgetViolations };
}
