import { controllerOf } from '../../api/meaning/index.ts';
import { formatLabels, matchLabelSelector, ValueError } from '../../api/index.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../api/types/apps/v1.d.ts';
import type { PodTemplate, ReplicationController } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, nameColumn, NONE } from './column.ts';
import { containerColumns, selectorColumn } from './template-columns.ts';

const PODS_WANTED = 'How many pods there should be';
const PODS_THERE = 'How many pods there are';
const PODS_READY = 'How many of its pods are ready';
const PODS_UPDATED = 'How many of its pods are of the newest template';
const PODS_AVAILABLE = 'How many of its pods have been ready for long enough';

interface Replicas {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

const replicaColumns: readonly Column[] = [
  column<Replicas>('Desired', ({ spec }) => spec?.replicas ?? 0, { type: 'integer', description: PODS_WANTED }),
  column<Replicas>('Current', ({ status }) => status?.replicas ?? 0, { type: 'integer', description: PODS_THERE }),
  column<Replicas>('Ready', ({ status }) => status?.readyReplicas ?? 0, { type: 'integer', description: PODS_READY }),
];

const readyOfDesired: Column = column<Replicas>(
  'Ready',
  ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  { description: 'How many of the wanted pods are ready' },
);

export const podTemplateColumns: readonly Column[] = [
  nameColumn,
  ...containerColumns<PodTemplate>(({ template }) => template, { isAlwaysShown: true }),
  column<PodTemplate>('Pod Labels', ({ template }) => formatLabels(template?.metadata?.labels ?? {}), {
    description: 'Labels of the pods made from the template',
  }),
];

export const replicationControllerColumns: readonly Column[] = [
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...containerColumns<ReplicationController>(({ spec }) => spec?.template),
  column<ReplicationController>('Selector', ({ spec }) => formatLabels(spec?.selector ?? {}), {
    isWide: true,
    description: 'Labels of the pods that belong to it',
  }),
];

export const replicaSetColumns: readonly Column[] = [
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...containerColumns<ReplicaSet>(({ spec }) => spec?.template),
  selectorColumn<ReplicaSet>(({ spec }) => spec?.selector),
];

export const deploymentColumns: readonly Column[] = [
  nameColumn,
  readyOfDesired,
  column<Deployment>('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0, { description: PODS_UPDATED }),
  column<Deployment>('Available', ({ status }) => status?.availableReplicas ?? 0, { description: PODS_AVAILABLE }),
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec?.template),
  column<Deployment>('Selector', deploymentSelector, {
    isWide: true,
    description: 'Labels of the pods that belong to it',
  }),
];

/** Unlike those of other kinds, a selector of nothing stays empty here. */
function deploymentSelector({ spec }: Deployment): string {
  const matcher = matchLabelSelector(spec?.selector ?? undefined);
  return matcher instanceof ValueError ? '<invalid>' : matcher.toString();
}

export const statefulSetColumns: readonly Column[] = [
  nameColumn,
  readyOfDesired,
  ageColumn,
  ...containerColumns<StatefulSet>(({ spec }) => spec?.template),
];

export const daemonSetColumns: readonly Column[] = [
  nameColumn,
  daemonSetCount('Desired', ({ desiredNumberScheduled }) => desiredNumberScheduled, PODS_WANTED),
  daemonSetCount('Current', ({ currentNumberScheduled }) => currentNumberScheduled, PODS_THERE),
  daemonSetCount('Ready', ({ numberReady }) => numberReady, PODS_READY),
  daemonSetCount('Up-to-date', ({ updatedNumberScheduled }) => updatedNumberScheduled, PODS_UPDATED),
  daemonSetCount('Available', ({ numberAvailable }) => numberAvailable, PODS_AVAILABLE),
  column<DaemonSet>('Node Selector', ({ spec }) => formatLabels(spec?.template?.spec?.nodeSelector ?? {}), {
    description: 'Labels of the nodes that its pods run on',
  }),
  ageColumn,
  ...containerColumns<DaemonSet>(({ spec }) => spec?.template),
  selectorColumn<DaemonSet>(({ spec }) => spec?.selector),
];

type DaemonSetStatus = NonNullable<DaemonSet['status']>;

function daemonSetCount(
  name: string,
  count: (status: Partial<DaemonSetStatus>) => number | undefined,
  description: string,
): Column {
  return column<DaemonSet>(name, ({ status }) => count(status ?? {}) ?? 0, { type: 'integer', description });
}

export const controllerRevisionColumns: readonly Column[] = [
  nameColumn,
  column<ControllerRevision>('Controller', controllerText, { description: 'Kind and name of what made the revision' }),
  column<ControllerRevision>('Revision', ({ revision }) => revision, { description: 'Number of the revision' }),
  ageColumn,
];

function controllerText(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (owner === undefined) return NONE;
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [];
  const kind = group === '' ? owner.kind : `${owner.kind}.${group}`;
  return kind === '' ? owner.name : `${kind.toLowerCase()}/${owner.name}`;
}
