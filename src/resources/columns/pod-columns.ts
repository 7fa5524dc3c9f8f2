import type { Pod } from '../../api/types/core/v1.d.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Column, RowCondition } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse } from './column.ts';
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
  column<Pod>('Ready', (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`, {
    description: 'How many of the containers are ready for traffic',
  }),
  column<Pod>('Status', (pod) => summaryOf(pod).status, {
    description: 'What the containers are doing, taken together',
  }),
  column<Pod>('Restarts', (pod, now) => formatRestarts(summaryOf(pod), now), {
    description: 'How often containers were restarted, and when the last time',
  }),
  ageColumn,
  column<Pod>('IP', ({ status }) => orElse(each(status?.podIPs)[0]?.ip, NONE), {
    isWide: true,
    description: 'First address of the pod',
  }),
  column<Pod>('Node', ({ spec }) => orElse(spec?.nodeName, NONE), {
    isWide: true,
    description: 'Node that the pod is bound to',
  }),
  column<Pod>('Nominated Node', ({ status }) => orElse(status?.nominatedNodeName, NONE), {
    isWide: true,
    description: 'Node where room is being made for the pod',
  }),
  column<Pod>('Readiness Gates', readinessGates, {
    isWide: true,
    description: 'How many of the conditions hold that must hold besides, for the pod to be ready',
  }),
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
