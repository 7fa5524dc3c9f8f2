// The conditions that a node reports of its pods.
import { isSidecar, isTerminalPhase } from '../../api/meaning/index.ts';
import { type PodCondition, type PodContainerStatus, type PodView, statusNamed, timeText } from './pod-view.ts';
import type { PodPhase } from './pod-phase.ts';
import type { ResizeState } from './resize-state.ts';

const OWNED: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodReadyToStartContainers',
  'PodResizeInProgress',
  'PodResizePending',
  'AllContainersRestarting',
]);

const DISRUPTION = 'DisruptionTarget';

function disrupted(message: string): Verdict {
  return { status: 'True', reason: 'TerminationByKubelet', message };
}

export interface ConditionFacts {
  readonly phase: PodPhase;
  readonly init: readonly PodContainerStatus[];
  readonly regular: readonly PodContainerStatus[];
  /** Undefined for pods that never restart as a whole. */
  readonly isRestartingAll: boolean | undefined;
  /** Why the node disrupts the pod, if it does. */
  readonly disruption?: string | undefined;
}

interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** All conditions of the pod: first those of other writers, unchanged, then those of the node. */
export function podConditions(view: PodView, facts: ConditionFacts): PodCondition[] {
  const others = (view.pod.status?.conditions ?? []).filter(({ type }) => !OWNED.has(type));
  const containers = containersReady(view, facts);
  const verdicts: readonly (readonly [string, Verdict])[] = [
    ['PodReadyToStartContainers', { status: hasSandbox(view) ? 'True' : 'False' }],
    ['Initialized', initialized(view, facts)],
    ['Ready', ready(view, others, containers)],
    ['ContainersReady', containers],
    ['PodScheduled', { status: 'True' }],
    ...(facts.isRestartingAll === undefined
      ? []
      : [['AllContainersRestarting', restartingAll(facts.phase, facts.isRestartingAll)] as const]),
    ...(facts.disruption === undefined ? [] : [[DISRUPTION, disrupted(facts.disruption)] as const]),
  ];
  const resizes = view.memory.resize === undefined ? [] : resizeConditions(view.memory.resize, facts.phase);
  return [
    ...others.filter(({ type }) => type !== DISRUPTION || facts.disruption === undefined),
    ...resizes,
    ...verdicts.map(([type, verdict]) => condition(view, type, verdict)),
  ];
}

/** Conditions about resizes are there only while they are true. */
function resizeConditions({ pending, progress }: ResizeState, phase: PodPhase): PodCondition[] {
  if (isTerminalPhase(phase)) return [];
  const shown = (type: string, facts: { readonly generation: number; readonly sinceMs: number }): PodCondition => ({
    type,
    observedGeneration: facts.generation,
    status: 'True',
    lastProbeTime: timeText(facts.sinceMs),
    lastTransitionTime: timeText(facts.sinceMs),
  });
  return [
    ...(pending === undefined
      ? []
      : [{ ...shown('PodResizePending', pending), reason: pending.reason, message: pending.message }]),
    ...(progress === undefined
      ? []
      : [
          {
            ...shown('PodResizeInProgress', progress),
            ...(progress.error === undefined ? {} : { reason: 'Error', message: progress.error }),
          },
        ]),
  ];
}

function condition(view: PodView, type: string, verdict: Verdict): PodCondition {
  const old = view.memory.status.conditions?.find((each) => each.type === type);
  const isSame = old?.status === verdict.status;
  const { generation } = view.pod.metadata;
  return {
    type,
    observedGeneration: generation,
    status: verdict.status,
    lastTransitionTime: isSame ? (old.lastTransitionTime ?? timeText(view.nowMs)) : timeText(view.nowMs),
    reason: verdict.reason,
    message: verdict.message,
  };
}

function hasSandbox({ sandbox }: PodView): boolean {
  return sandbox?.state === 'SANDBOX_READY';
}

function initialized(view: PodView, { phase, init, regular }: ConditionFacts): Verdict {
  const containers = view.pod.spec?.initContainers ?? [];
  const unknown = containers.filter(({ name }) => !init.some((status) => status.name === name));
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: 'PodCompleted' };
  if (regular.some(({ state }) => state?.running !== undefined || state?.terminated !== undefined))
    return { status: 'True' };
  const incomplete = containers.filter((container) => {
    const status = statusNamed(init, container.name);
    return status !== undefined && !(isSidecar(container) ? status.started === true : status.ready);
  });
  const message = problems([
    ['containers with unknown status', unknown],
    ['containers with incomplete status', incomplete],
  ]);
  const wasInitialized = view.memory.status.conditions?.some(
    ({ type, status }) => type === 'Initialized' && status === 'True',
  );
  if (message === '' || wasInitialized === true) return { status: 'True' };
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function containersReady(view: PodView, { phase, init, regular }: ConditionFacts): Verdict {
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  const containers = [...(view.pod.spec?.initContainers ?? []).filter(isSidecar), ...(view.pod.spec?.containers ?? [])];
  const statusOf = (name: string): PodContainerStatus | undefined =>
    statusNamed(regular, name) ?? statusNamed(init, name);
  const message = problems([
    ['containers with unknown status', containers.filter(({ name }) => statusOf(name) === undefined)],
    ['containers with unready status', containers.filter(({ name }) => statusOf(name)?.ready === false)],
  ]);
  return message === '' ? { status: 'True' } : { status: 'False', reason: 'ContainersNotReady', message };
}

function ready(view: PodView, others: readonly PodCondition[], containers: Verdict): Verdict {
  if (containers.status === 'False') return containers;
  const messages: string[] = [];
  for (const { conditionType } of view.pod.spec?.readinessGates ?? []) {
    const gate = others.find(({ type }) => type === conditionType);
    if (gate === undefined) {
      messages.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    } else if (gate.status !== 'True') {
      messages.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`);
    }
  }
  if (messages.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

function restartingAll(phase: PodPhase, isRestarting: boolean): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (!isRestarting) return { status: 'False' };
  return {
    status: 'True',
    reason: 'RestartAllContainersStarted',
    message: 'container exited with restart policy rule',
  };
}

function problems(lists: readonly (readonly [string, readonly { readonly name: string }[]])[]): string {
  return lists
    .filter(([, containers]) => containers.length > 0)
    .map(([problem, containers]) => `${problem}: [${containers.map(({ name }) => name).join(' ')}]`)
    .join(', ');
}
