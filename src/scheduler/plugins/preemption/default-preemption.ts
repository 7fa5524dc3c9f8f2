import { Pod, PodDisruptionBudget } from '../../../client/index.ts';
import { PodInfo } from '../../cache/pod-info.ts';
import { Diagnosis } from '../../framework/diagnosis.ts';
import type { Extender } from '../../framework/extender.ts';
import { fitMessage, reasonFor } from '../../framework/fit-error.ts';
import type { Plugin, PostFilterAnswer, PostFilterContext } from '../../framework/plugin.ts';
import type { PluginContext } from '../../framework/plugin-context.ts';
import { unresolvable, unschedulable } from '../../framework/rejection.ts';
import { askExtenders } from './ask-extenders.ts';
import { bestCandidates, type Candidate } from './choose-candidate.ts';
import { budgetsOf } from './disruption-budgets.ts';
import { findCandidates, type FoundCandidates } from './find-candidates.ts';
import { candidatesToFind, readPreemptionArgs } from './preemption-args.ts';
import { isPreemptionTarget, PreemptionTasks } from './preemption-tasks.ts';
import { mayBePreempted } from './select-victims.ts';

const NAME = 'DefaultPreemption';
const NOT_HELPFUL = unresolvable(NAME, 'Preemption is not helpful for scheduling');
const PREEMPTION_IN_PROGRESS = unresolvable(NAME, 'waiting for the preemption for this pod to be finished');
const NEVER = 'not eligible due to preemptionPolicy=Never.';
const VICTIM_TERMINATING = 'not eligible due to a terminating pod on the nominated node.';

/** PostFilter: deletes pods of lower priority where that makes room, and nominates the pod for their node. */
export function defaultPreemption(context: PluginContext): Plugin {
  const args = readPreemptionArgs(context.args);
  const pods = context.objects(Pod);
  const budgets = context.objects(PodDisruptionBudget);
  const tasks = new PreemptionTasks(context, pods);

  const search = (pod: PodInfo, around: PostFilterContext): FoundCandidates => {
    const nodes = around.snapshot.nodes.filter(({ name }) => around.diagnosis.get(name)?.code === 'Unschedulable');
    if (nodes.length === 0) return { candidates: [], diagnosis: new Diagnosis() };
    return findCandidates(pod, {
      context: around,
      budgets: budgetsOf(budgets.list()),
      nodes,
      start: context.random.int(nodes.length),
      wanted: candidatesToFind(nodes.length, args),
    });
  };

  const preempt = (pod: PodInfo, candidates: readonly Candidate[]): PostFilterAnswer => {
    const [best] = bestCandidates(candidates);
    if (best === undefined) return no('no candidate node for preemption');
    tasks.start(pod, best);
    return { nominatedNodeName: best.nodeName };
  };

  return {
    name: NAME,
    // this plugin is never the reason to retry a pod: the filters that rejected it decide
    events: [{ resource: 'Pod', actions: ['Delete'], isWorthRetry: () => false }],
    preEnqueue: ({ uid }) => (tasks.isRunning(uid) ? PREEMPTION_IN_PROGRESS : undefined),
    postFilter(cycle, around) {
      context.metrics?.attempt();
      const pod = newest(cycle.pod, pods.get(cycle.pod.key));
      const why = whyNotEligible(pod, around);
      if (why !== undefined) return no(why);
      const { candidates, diagnosis } = prefixed(() => search(pod, around));
      if (candidates.length === 0) {
        diagnosis.rejectOthers(NOT_HELPFUL);
        return { ...no(fitMessage(around.snapshot.nodes.length, diagnosis)), nominatedNodeName: '' };
      }
      const extenders = context.extenders.filter((extender) => hasSay(extender, pod));
      if (extenders.length === 0) return preempt(pod, candidates);
      const { signal, snapshot } = around;
      return askExtenders(extenders, pod, { candidates, signal, snapshot }).then(
        (left) => preempt(pod, left),
        (error: unknown) => Promise.reject(preemptionError(error)),
      );
    },
  };
}

function no(why: string): ReturnType<typeof unschedulable> {
  return unschedulable(NAME, `preemption: ${why}`);
}

function prefixed<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw preemptionError(error);
  }
}

function preemptionError(cause: unknown): Error {
  return new Error(`preemption: ${reasonFor(cause)}`, { cause });
}

function hasSay({ preempt, isInterested }: Extender, pod: PodInfo): boolean {
  return preempt !== undefined && (isInterested?.(pod) ?? true);
}

/** The pod's newest version in the cache, if it is still the same pod. */
function newest(tried: PodInfo, known: PodInfo['pod'] | undefined): PodInfo {
  return known === undefined || known.metadata.uid !== tried.uid ? tried : new PodInfo(known, tried);
}

/** Why the pod may not preempt others; undefined when it may. */
function whyNotEligible(pod: PodInfo, { snapshot, diagnosis }: PostFilterContext): string | undefined {
  if (pod.pod.spec?.preemptionPolicy === 'Never') return NEVER;
  const nominated = pod.pod.status?.nominatedNodeName ?? '';
  if (nominated === '' || diagnosis.get(nominated)?.code === 'UnschedulableAndUnresolvable') return undefined;
  const isStillGoing = snapshot
    .get(nominated)
    ?.pods.some((other) => mayBePreempted(other, pod) && isTerminatingByPreemption(other.pod));
  return isStillGoing === true ? VICTIM_TERMINATING : undefined;
}

/** Whether the pod is being deleted because of preemption. */
function isTerminatingByPreemption(pod: PodInfo['pod']): boolean {
  return pod.metadata.deletionTimestamp !== undefined && isPreemptionTarget(pod);
}
