import type { Pod } from '../../api/types/core/v1.d.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Column, RowCondition } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, wide } from './column.ts';
import { formatRestarts, summarizePod } from './pod-status.ts';
import type { PodSummary } from './pod-status.ts';

/** Three columns ask for the same summary of the same pod, one after the other. */
const summaries = new WeakMap<Pod, PodSummary>();

function summaryOf(pod: Pod): PodSummary {
  const known = summaries.get(pod);
  if (known !== undefined) return known;
  const summary = summarizePod(pod);
  summaries.set(pod, summary);
  return summary;
}

export const podColumns: readonly Column[] = [
  nameColumn,
  column<Pod>(
    'Ready',
    'How many of the containers are ready for traffic',
    (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`,
  ),
  column<Pod>('Status', 'What the containers are doing, taken together', (pod) => summaryOf(pod).status),
  column<Pod>('Restarts', 'How often containers were restarted, and when the last time', (pod, now) =>
    formatRestarts(summaryOf(pod), now),
  ),
  ageColumn,
  wide<Pod>('IP', 'First address of the pod', ({ status }) => orElse(each(status?.podIPs)[0]?.ip, NONE)),
  wide<Pod>('Node', 'Node that the pod is bound to', ({ spec }) => orElse(spec?.nodeName, NONE)),
  wide<Pod>('Nominated Node', 'Node where room is being made for the pod', ({ status }) =>
    orElse(status?.nominatedNodeName, NONE),
  ),
  wide<Pod>(
    'Readiness Gates',
    'How many of the conditions hold that must hold besides, for the pod to be ready',
    readinessGates,
  ),
];

function readinessGates({ spec, status }: Pod): string {
  const gates = each(spec?.readinessGates);
  if (gates.length === 0) return NONE;
  const conditions = each(status?.conditions);
  const open = gates.filter((gate) => conditions.find(({ type }) => type === gate.conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}

const succeeded: readonly RowCondition[] = [
  { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
];
const failed: readonly RowCondition[] = [
  { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
];

/** A pod whose work is done says so about its whole row. */
export function podRowConditions(object: ApiObject): readonly RowCondition[] {
  const { status } = object as unknown as Pod;
  if (status?.phase === 'Succeeded') return succeeded;
  return status?.phase === 'Failed' ? failed : [];
}
