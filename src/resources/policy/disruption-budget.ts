import { formatTime, forbidden, instantOfMillis, StatusError } from '../../api/index.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/types/policy/v1.d.ts';
import type { Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';

const MAX_DISRUPTED_PODS = 2000;
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
const STILL_PROCESSED_SECONDS = 10;

/** 429 with a cause that tells which budget is in the way. */
export function overBudget(message: string, retryAfterSeconds: number): StatusError {
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

export function stillProcessed(name: string): StatusError {
  return overBudget(`The disruption budget ${name} is still being processed by the server.`, STILL_PROCESSED_SECONDS);
}

/** The budget after one more pod is disrupted; refuses when it allows none. */
export function spend(budget: Whole<PodDisruptionBudget>, pod: string, now: number): Whole<PodDisruptionBudget> {
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

/** Why a budget allows nothing now; when its last sync failed, its numbers are not worth quoting. */
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
