import { formatTime, instantOfMillis } from '../../api/values/index.ts';
import { mergePatch, type Observed, PersistentVolumeClaim } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Condition = NonNullable<NonNullable<PersistentVolumeClaim['status']>['conditions']>[number];

interface StatedCondition {
  readonly type: string;
  readonly message?: string;
}

/** The conditions of a claim with some of one family in place of those that it had. */
export function withConditions(
  { status }: Claim,
  family: readonly string[],
  { stated, nowMs }: { readonly stated: readonly StatedCondition[]; readonly nowMs: number },
): Condition[] {
  const known = status?.conditions ?? [];
  const others = known.filter(({ type }) => !family.includes(type));
  const now = formatTime(instantOfMillis(nowMs));
  const own = stated.map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.lastTransitionTime ?? now;
    return { ...condition, status: 'True' as const, lastTransitionTime };
  });
  return [...others, ...own] as Condition[];
}

/** Writes what has become of a claim, unless it has changed meanwhile; null takes something away. */
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
