import { hasTaint, NOT_READY_TAINT, UNREACHABLE_TAINT, UNSCHEDULABLE_TAINT } from '../../api/meaning/index.ts';
import type { Node, Taint } from '../../api/types/core/v1.d.ts';
import { type DeepReadonly, deepEqual } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';

export type TaintView = DeepReadonly<Taint>;

const PREFIX = 'node.kubernetes.io';

/** The taint for each condition type and status. */
const conditionTaints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY_TAINT, Unknown: UNREACHABLE_TAINT },
  MemoryPressure: { True: `${PREFIX}/memory-pressure` },
  DiskPressure: { True: `${PREFIX}/disk-pressure` },
  NetworkUnavailable: { True: `${PREFIX}/network-unavailable` },
  PIDPressure: { True: `${PREFIX}/pid-pressure` },
};

const ourKeys: ReadonlySet<string> = new Set([
  ...Object.values(conditionTaints).flatMap((keys) => Object.values(keys)),
  UNSCHEDULABLE_TAINT,
]);

export interface TaintChanges {
  readonly add: readonly TaintView[];
  readonly remove: readonly TaintView[];
}

/** The changes that make the NoSchedule taints match the node's conditions and spec. */
export function scheduleTaintChanges({ spec, status }: Observed<Node>): TaintChanges {
  const keys = new Set((status?.conditions ?? []).flatMap(({ type, status }) => conditionTaints[type]?.[status] ?? []));
  if (spec?.unschedulable === true) keys.add(UNSCHEDULABLE_TAINT);
  const wanted = [...keys].map((key): TaintView => ({ key, effect: 'NoSchedule' }));
  const present = (spec?.taints ?? []).filter(({ key, effect }) => effect === 'NoSchedule' && ourKeys.has(key));
  return {
    add: wanted.filter((taint) => !hasTaint(present, taint)),
    remove: present.filter((taint) => !hasTaint(wanted, taint)),
  };
}

/** The NoExecute taint for this state, and the one for the other bad state. */
export function evictionTaints(ready: 'False' | 'Unknown'): { readonly own: TaintView; readonly other: TaintView } {
  const notReady: TaintView = { key: NOT_READY_TAINT, effect: 'NoExecute' };
  const unreachable: TaintView = { key: UNREACHABLE_TAINT, effect: 'NoExecute' };
  return ready === 'False' ? { own: notReady, other: unreachable } : { own: unreachable, other: notReady };
}

/** The taints after the changes; the same list when nothing changes. Added taints carry the time. */
export function changeTaints(taints: readonly TaintView[], changes: TaintChanges, now: string): readonly TaintView[] {
  const added = changes.add.map((taint): TaintView => ({ ...taint, timeAdded: now }));
  const kept = taints.filter((taint) => !hasTaint(changes.remove, taint) && !hasTaint(added, taint));
  const result = [...kept, ...added];
  return deepEqual(result, taints) ? taints : result;
}
