import { controllerOf } from '../../api/meaning/index.ts';
import { formatLabels, matchLabelSelector, ValueError } from '../../api/index.ts';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../api/types/apps/v1.d.ts';
import type { PodTemplate, ReplicationController } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, integer, nameColumn, NONE, wide } from './column.ts';
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
  integer<Replicas>('Desired', PODS_WANTED, ({ spec }) => spec?.replicas ?? 0),
  integer<Replicas>('Current', PODS_THERE, ({ status }) => status?.replicas ?? 0),
  integer<Replicas>('Ready', PODS_READY, ({ status }) => status?.readyReplicas ?? 0),
];

const readyOfDesired: Column = column<Replicas>(
  'Ready',
  'How many of the wanted pods are ready',
  ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
);

export const podTemplateColumns: readonly Column[] = [
  nameColumn,
  ...containerColumns<PodTemplate>(({ template }) => template, { isAlwaysShown: true }),
  column<PodTemplate>('Pod Labels', 'Labels of the pods made from the template', ({ template }) =>
    formatLabels(template?.metadata?.labels ?? {}),
  ),
];

export const replicationControllerColumns: readonly Column[] = [
  nameColumn,
  ...replicaColumns,
  ageColumn,
  ...containerColumns<ReplicationController>(({ spec }) => spec?.template),
  wide<ReplicationController>('Selector', 'Labels of the pods that belong to it', ({ spec }) =>
    formatLabels(spec?.selector ?? {}),
  ),
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
  column<Deployment>('Up-to-date', PODS_UPDATED, ({ status }) => status?.updatedReplicas ?? 0),
  column<Deployment>('Available', PODS_AVAILABLE, ({ status }) => status?.availableReplicas ?? 0),
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec?.template),
  wide<Deployment>('Selector', 'Labels of the pods that belong to it', deploymentSelector),
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
  column<DaemonSet>('Node Selector', 'Labels of the nodes that its pods run on', ({ spec }) =>
    formatLabels(spec?.template?.spec?.nodeSelector ?? {}),
  ),
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
  return integer<DaemonSet>(name, description, ({ status }) => count(status ?? {}) ?? 0);
}

export const controllerRevisionColumns: readonly Column[] = [
  nameColumn,
  column<ControllerRevision>('Controller', 'Kind and name of what made the revision', controllerText),
  column<ControllerRevision>('Revision', 'Number of the revision', ({ revision }) => revision),
  ageColumn,
];

function controllerText(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (owner === undefined) return NONE;
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [];
  const kind = group === '' ? owner.kind : `${owner.kind}.${group}`;
  return kind === '' ? owner.name : `${kind.toLowerCase()}/${owner.name}`;
}
