import type {
  Eviction,
  EvictionRequest,
  ResponderStatus,
  TargetResponder,
} from '../../api/types/lifecycle/v1alpha1.d.ts';
import type { Condition } from '../../api/types/meta/v1.d.ts';
import type { FieldError } from '../../api/index.ts';
import { ageSince } from '../../apiserver/index.ts';
import { changes } from '../change.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, UNKNOWN, UNSET, wide } from '../columns/column.ts';
import { checkConditions } from '../condition-rules.ts';
import { defineKind } from '../kind.ts';
import { checkUnion } from '../union-rules.ts';

const GROUP = 'lifecycle.k8s.io';

/** The alpha kinds for orderly evictions: what requesters ask for, and what the control plane makes of it for each pod. */
export const evictionRequests = defineKind<EvictionRequest>({
  group: GROUP,
  plural: 'evictionrequests',
  featureGate: 'EvictionRequestAPI',
  columns: [
    nameColumn,
    column('Target', 'What shall be evicted', ({ spec }) => spec?.target?.pod?.name ?? UNSET),
    column('Target Type', 'Kind of what shall be evicted', ({ spec }) => typeOfTarget(spec?.target)),
    column('Status', 'How far it has come', ({ status }) => progress(status)),
    column('Requester', 'Who asks', ({ spec }) => spec?.requester ?? ''),
    column('Intent', 'Whether it is still wanted', ({ spec }) => spec?.intent ?? ''),
    ageColumn,
  ],
  storedVersion: 'v1alpha1',
  requiresResourceVersion: true,
  statusMetadata: 'owned',
  raisesGeneration: changes('spec'),
  validate: ({ spec }) => checkTarget(spec.target),
  validateStatus: ({ status }) => checkConditions(each(status.conditions), 'status.conditions'),
});

export const evictions = defineKind<Eviction>({
  group: GROUP,
  plural: 'evictions',
  featureGate: 'EvictionRequestAPI',
  columns: [
    nameColumn,
    column('Target', 'What is evicted', ({ spec }) => spec?.target?.pod?.name ?? UNSET),
    column('Target Type', 'Kind of what is evicted', ({ spec }) => typeOfTarget(spec?.target)),
    column('Status', 'How far it has come', ({ status }) => progress(status)),
    column('Active Responder', 'Program whose turn it is', activeResponder),
    column('Responder Status', 'How far that program has come', responderState),
    column('Responder Expected Finish', 'When that program expects to be done', expectedFinish),
    column('Requesters', 'Who asks for it', requesters),
    ageColumn,
    wide('Responder Heartbeat', 'When that program last reported', heartbeat),
    wide('Responder Status Message', 'What that program says', (eviction) =>
      orElse(reportOf(eviction)?.message?.trim(), UNSET),
    ),
  ],
  storedVersion: 'v1alpha1',
  requiresResourceVersion: true,
  statusMetadata: 'owned',
  raisesGeneration: changes('spec'),
  validate: ({ spec }) => checkTarget(spec.target),
  validateStatus: ({ status }) => checkConditions(each(status.conditions), 'status.conditions'),
});

function checkTarget(target: object | undefined): FieldError[] {
  return checkUnion(target ?? {}, 'spec.target', { members: ['pod'] });
}

function typeOfTarget(target: { readonly pod?: object } | undefined): string {
  return target?.pod === undefined ? UNSET : 'Pod';
}

interface Observed {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

function progress(status: Observed | undefined): string {
  const held = each(status?.conditions).filter((condition) => condition.status === 'True');
  const last = held.find(({ type }) => type === 'TargetEvicted') ?? held.find(({ type }) => type === 'Failed');
  if (last !== undefined) return `${last.type} (${last.reason})`;
  return (status?.observedGeneration ?? 0) > 0 ? 'Progressing' : 'Pending';
}

const FINISHED = new Set(['Canceled', 'Interrupted', 'Completed']);

/** The program whose turn it is, or the last one that had its turn. */
function turnOf({ status }: Eviction): TargetResponder | undefined {
  const all = each(status?.targetResponders);
  return all.findLast(({ state }) => state === 'Active') ?? all.findLast(({ state }) => FINISHED.has(state));
}

function reportOf(eviction: Eviction): ResponderStatus | undefined {
  const turn = turnOf(eviction);
  return each(eviction.status?.responders).find(({ name }) => name === turn?.name);
}

function activeResponder(eviction: Eviction): string {
  const all = each(eviction.status?.targetResponders);
  const begun = all.filter(({ state }) => state === 'Active' || FINISHED.has(state));
  return `${turnOf(eviction)?.name ?? UNSET} (${begun.length}/${all.length})`;
}

function responderState(eviction: Eviction, now: number): string {
  const report = reportOf(eviction);
  const state = turnOf(eviction)?.state;
  if (report === undefined || state === undefined) return UNSET;
  if (state === 'Active' && report.startTime !== undefined) return `Started (${ageSince(report.startTime, now)} ago)`;
  if (state === 'Completed' && report.completionTime !== undefined) {
    return `${state} (${ageSince(report.completionTime, now)} ago)`;
  }
  return state;
}

function expectedFinish(eviction: Eviction, now: number): string {
  const report = reportOf(eviction);
  const state = turnOf(eviction)?.state ?? '';
  if (report === undefined) return UNKNOWN;
  if (FINISHED.has(state)) return '-';
  const { startTime, expectedCompletionTime: expected } = report;
  if (startTime === undefined || expected === undefined) return UNKNOWN;
  const left = Date.parse(expected) - now;
  return left > 0 ? `in ${ageSince(new Date(now - left).toISOString(), now)}` : `${ageSince(expected, now)} ago`;
}

function heartbeat(eviction: Eviction, now: number): string {
  const time = reportOf(eviction)?.heartbeatTime;
  return time === undefined ? UNSET : `${ageSince(time, now)} ago`;
}

function requesters({ status }: Eviction): string {
  const all = each(status?.requesters);
  const [first, ...others] = all
    .filter(({ intent }) => intent !== 'Withdrawn')
    .map(({ name }) => name)
    .sort();
  if (first === undefined) return all.length === 0 ? NONE : '<withdrawn>';
  return others.length === 0 ? first : `${first} + ${others.length} more...`;
}
