import type { Allocation, Claim } from './claim.ts';

type Condition = {
  readonly type: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
};
type Result = NonNullable<NonNullable<Allocation['devices']>['results']>[number];

/** Whether pods that use the claim can be bound, according to the binding conditions of its devices. */
export type Readiness =
  | { readonly type: 'ready' }
  | { readonly type: 'waiting' }
  | { readonly type: 'failed'; readonly problem: string };

export function readinessOf(claim: Claim): Readiness {
  for (const result of resultsOf(claim)) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const conditions = conditionsOf(claim, result);
    if (conditions === undefined) return { type: 'waiting' };
    const of = (type: string): Condition | undefined => conditions.find((condition) => condition.type === type);
    const failure = bindingFailureConditions.map(of).find((condition) => condition?.status === 'True');
    if (failure !== undefined) {
      const { reason, message } = failure;
      const why = `claim=${claim.metadata.name}, reason=${reason}, message=${JSON.stringify(message)}`;
      return { type: 'failed', problem: `device binding failed: ${why}` };
    }
    if (bindingConditions.some((type) => of(type)?.status !== 'True')) return { type: 'waiting' };
  }
  return { type: 'ready' };
}

/** Whether the claim has devices with binding conditions. */
export function hasBindingConditions(claim: Claim): boolean {
  return resultsOf(claim).some(({ bindingConditions = [] }) => bindingConditions.length > 0);
}

/** Whether the drivers' time to prepare is over. */
export function isOverdue(claim: Claim, { nowMs, timeoutMs }: { nowMs: number; timeoutMs: number }): boolean {
  const allocated = claim.status?.allocation?.allocationTimestamp;
  if (allocated === undefined || !hasBindingConditions(claim)) return false;
  return Date.parse(allocated) + timeoutMs < nowMs;
}

function resultsOf({ status }: Claim): readonly Result[] {
  return status?.allocation?.devices?.results ?? [];
}

function conditionsOf({ status }: Claim, { driver, pool, device }: Result): readonly Condition[] | undefined {
  const said = status?.devices?.find((each) => each.driver === driver && each.pool === pool && each.device === device);
  return said === undefined ? undefined : (said.conditions ?? []);
}
