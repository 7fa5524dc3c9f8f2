import { formatTime, instantOfMillis } from '../../api/values/index.ts';
import { mergePatch, type Observed, PersistentVolumeClaim } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Condition = NonNullable<NonNullable<PersistentVolumeClaim['status']>['conditions']>[number];

interface StatedCondition {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Statement {
  readonly stated: readonly StatedCondition[];
  readonly nowMs: number;
  /** Whether conditions of the family that are not stated stay; default they go. */
  readonly keepsOthers?: boolean;
}

/** The claim's conditions, with those of one family replaced. */
export function withConditions(
  { status }: Claim,
  family: readonly string[],
  { stated, nowMs, keepsOthers = false }: Statement,
): Condition[] {
  const known = status?.conditions ?? [];
  const isStated = (type: string): boolean => stated.some((condition) => condition.type === type);
  const others = known.filter(({ type }) => !family.includes(type) || (keepsOthers && !isStated(type)));
  const now = formatTime(instantOfMillis(nowMs));
  const own = stated.map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.lastTransitionTime ?? now;
    return { ...condition, status: 'True' as const, lastTransitionTime };
  });
  return [...others, ...own] as Condition[];
}

/** Patches the claim's status, unless it changed in between; null removes a member. */
export async function patchClaim(
  { metadata }: Claim,
  status: Readonly<Record<string, unknown>>,
  { objects, key }: Pick<ReconcileContext, 'objects' | 'key'>,
): Promise<Claim> {
  const { resourceVersion } = metadata;
  const { conditions } = status;
  const isEmpty = Array.isArray(conditions) && conditions.length === 0;
  const body = { metadata: { resourceVersion }, status: { ...status, ...(isEmpty ? { conditions: null } : {}) } };
  return await objects(PersistentVolumeClaim).patchStatus(key, mergePatch(body));
}
