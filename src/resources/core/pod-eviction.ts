import {
  badRequest,
  conflict,
  forbidden,
  formatTime,
  hasReason,
  instantOfMillis,
  invalid,
  invalidValue,
  matchLabelSelector,
  StatusError,
  ValueError,
} from '../../api/index.ts';
import type { ApiObject, Struct } from '../../api/index.ts';
import { isFinished, isReady } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { DeleteOptions } from '../../api/types/meta/v1.d.ts';
import type { Eviction, PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/types/policy/v1.d.ts';
import type { ActionCall, ActionObjects, ObjectsOf, Preconditions } from '../../apiserver/index.ts';
import { arrange } from '../arrange.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import type { Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import { created } from './pod-binding.ts';
import { withCondition } from './pod-conditions.ts';

const RETRIES = 20;

type Budget = Whole<PodDisruptionBudget> & ApiObject;

/** Deletes a pod if its PodDisruptionBudgets allow another disruption. */
export function evictionOf(environment: KindEnvironment): (call: ActionCall) => Promise<ApiObject> {
  const budgets = environment.objects.of<Budget>('policy', 'poddisruptionbudgets');
  const budgetType = environment.types.struct('io.k8s.api.policy.v1.PodDisruptionBudget');
  const podType = environment.types.struct('io.k8s.api.core.v1.Pod');

  async function spendBudget(namespace: string, name: string, { podName, now, isDryRun }: Disruption): Promise<void> {
    for (let tries = 0; tries < RETRIES; tries++) {
      const found = await budgets.newest(namespace, name);
      if (found === undefined) return; // deleted meanwhile: nothing is in the way any more
      const spent: ApiObject = spend(found, podName, now) as never;
      arrange(spent, budgetType);
      if (isDryRun || (await budgets.replace(budgets.keyOf(namespace, name), found, spent))) return;
    }
    throw new StatusError({
      code: 504,
      reason: 'Timeout',
      message: `Timeout: couldn't update PodDisruptionBudget "${name}" due to conflicts`,
      details: { retryAfterSeconds: 10 },
    });
  }

  return async (call) => {
    const options = optionsOf(call, podType);
    await call.admit(call.body);
    const pod = await removeUnguarded(call.objects, options, call.context.now);
    if (pod === 'removed') return created();
    const covering = await coveringBudgets(budgets, pod);
    if (covering.length > 1) throw manyBudgets();
    const [budget] = covering;
    if (budget === undefined) {
      await markAndDelete(call.objects, options, call.context.now);
      return created();
    }
    const name = budget.metadata.name ?? '';
    if (mayGoUnhealthy(pod, budget)) {
      await deleteUnhealthy(call.objects, options, { pod, budget: name, now: call.context.now });
      return created();
    }
    const disruption = { podName: call.name, now: call.context.now, isDryRun: options.dryRun };
    await spendBudget(call.namespace, name, disruption);
    await markAndDelete(call.objects, options, call.context.now);
    return created();
  };
}

interface Disruption {
  readonly podName: string;
  readonly now: number;
  readonly isDryRun: boolean;
}

interface EvictionOptions extends Omit<DeleteOptions, 'dryRun' | 'preconditions'> {
  readonly preconditions?: Preconditions;
  readonly dryRun: boolean;
  readonly podType: Struct;
}

function optionsOf({ name, body, context }: ActionCall, podType: Struct): EvictionOptions {
  if ((body.metadata.name ?? '') !== name) throw badRequest('name in URL does not match name in Eviction object');
  const { deleteOptions } = body as unknown as Eviction;
  if (deleteOptions?.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const field = 'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential';
    const detail = 'can not be set for pod eviction, try after removing the option';
    throw invalid({ group: 'policy', resource: 'Eviction' }, name, [invalidValue(field, true, detail)]);
  }
  const { dryRun = [], preconditions, ...rest } = deleteOptions ?? {};
  const isDryRun = context.dryRun || dryRun.length > 0;
  return { ...rest, ...(preconditions === undefined ? {} : { preconditions }), dryRun: isDryRun, podType };
}

/** A pod that does not run yet, or no longer, can be deleted without a disruption: budgets do not apply. */
async function removeUnguarded(
  objects: ActionObjects,
  options: EvictionOptions,
  now: number,
): Promise<Whole<Pod> | 'removed'> {
  for (let tries = 0; ; tries++) {
    const pod = (await objects.get()) as unknown as Whole<Pod>;
    const isEnding = isFinished(pod) || pod.metadata.deletionTimestamp !== undefined;
    if (!isEnding && pod.status.phase !== 'Pending') return pod;
    const mayRetry = options.preconditions?.resourceVersion === undefined;
    try {
      await markAndDelete(objects, isEnding || !mayRetry ? options : atVersion(options, pod), now);
      return 'removed';
    } catch (error) {
      if (!mayRetry || tries >= RETRIES || !hasReason(error, 'Conflict')) throw error;
    }
  }
}

function atVersion(options: EvictionOptions, { metadata }: Whole<Pod>): EvictionOptions {
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: metadata.resourceVersion } };
}

async function coveringBudgets(budgets: ObjectsOf<Budget>, { metadata }: Whole<Pod>): Promise<Budget[]> {
  const found = await budgets.newestList(metadata.namespace);
  return found.filter(({ spec }) => {
    const matcher = matchLabelSelector(spec.selector);
    return !(matcher instanceof ValueError) && matcher.matches(metadata.labels);
  });
}

function manyBudgets(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  return new StatusError({ code: 500, message });
}

/** An unready pod does not count; it may be evicted if the budget's policy allows it or its healthy pods suffice. */
function mayGoUnhealthy({ status }: Whole<Pod>, { spec, status: budget }: PodDisruptionBudget): boolean {
  if (isReady({ status })) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

async function deleteUnhealthy(
  objects: ActionObjects,
  options: EvictionOptions,
  { pod, budget, now }: { readonly pod: Whole<Pod>; readonly budget: string; readonly now: number },
): Promise<void> {
  try {
    await markAndDelete(objects, atVersion(options, pod), now);
  } catch (error) {
    if (hasReason(error, 'Conflict') && options.preconditions?.resourceVersion === undefined)
      throw stillProcessed(budget);
    throw error;
  }
}

/** Sets the reason in the pod's status, and deletes it. */
async function markAndDelete(objects: ActionObjects, options: EvictionOptions, now: number): Promise<void> {
  let { preconditions } = options;
  if (!options.dryRun) {
    const marked = await objects.update((object) => {
      checkPreconditions(object, options.preconditions);
      const pod = object as unknown as Whole<Pod>;
      const changed: ApiObject = { ...object, status: withCondition(pod.status, DISRUPTED, now) };
      arrange(changed, options.podType);
      return changed;
    });
    const { resourceVersion } = marked.metadata;
    if (preconditions?.resourceVersion !== undefined) preconditions = { ...preconditions, resourceVersion };
  }
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, dryRun } = options;
  await objects.delete({ gracePeriodSeconds, orphanDependents, propagationPolicy, dryRun, preconditions });
}

const DISRUPTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
} as const;

function checkPreconditions({ metadata }: ApiObject, preconditions: Preconditions | undefined): void {
  const subject = { group: '', resource: 'Pod' };
  const { uid = '', resourceVersion = '' } = preconditions ?? {};
  if (uid !== '' && uid !== metadata.uid) {
    const why =
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). ` +
      'The object might have been deleted and then recreated';
    throw conflict(subject, metadata.name ?? '', why);
  }
  if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record ` +
      `(${metadata.resourceVersion ?? ''}). The object might have been modified`;
    throw conflict(subject, metadata.name ?? '', why);
  }
}

const MAX_DISRUPTED_PODS = 2000;
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
const STILL_PROCESSED_SECONDS = 10;

/** 429 with a cause that names the budget. */
function overBudget(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: REFUSED,
    details: {
      ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
      causes: [{ reason: 'DisruptionBudget', message }],
    },
  });
}

function stillProcessed(name: string): StatusError {
  return overBudget(`The disruption budget ${name} is still being processed by the server.`, STILL_PROCESSED_SECONDS);
}

/** The budget after another disruption; refuses if it allows none. */
function spend(budget: Whole<PodDisruptionBudget>, pod: string, now: number): Whole<PodDisruptionBudget> {
  const { metadata, status } = budget;
  const name = metadata.name ?? '';
  const refuse = (why: string): StatusError =>
    forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, why);
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(name);
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed < 0) throw refuse('pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS) {
    throw refuse('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (allowed === 0) throw overBudget(whyNot(name, status), 0);
  const at = formatTime(instantOfMillis(now));
  const spent: PodDisruptionBudgetStatus = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: withEntries(status.disruptedPods, { [pod]: at }),
  };
  return { ...budget, status: allowed === 1 ? withExhausted(spent, at) : spent };
}

/** Why a budget allows no disruption now; if its last sync failed, its numbers are outdated and not quoted. */
function whyNot(name: string, status: PodDisruptionBudgetStatus): string {
  const condition = (status.conditions ?? []).find(({ type }) => type === 'DisruptionAllowed');
  const hasMessage = condition?.status === 'False' && condition.message !== '';
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  if (hasMessage && condition.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  if (hasMessage) {
    return `The disruption budget ${name} does not allow evicting pods currently (${condition.reason}): ${condition.message}`;
  }
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

function withExhausted(status: PodDisruptionBudgetStatus, at: string): PodDisruptionBudgetStatus {
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === 'DisruptionAllowed');
  const known = conditions[index];
  const exhausted = {
    type: 'DisruptionAllowed',
    status: 'False' as const,
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : at,
    reason: 'InsufficientPods',
    message: '',
  };
  return { ...status, conditions: index < 0 ? [...conditions, exhausted] : conditions.with(index, exhausted) };
}
