import type { Lease } from '../../api/types/coordination/v1.d.ts';
import type { LeaseCandidate } from '../../api/types/coordination/v1beta1.d.ts';
import type { PodDisruptionBudget } from '../../api/types/policy/v1.d.ts';
import type { PriorityClass } from '../../api/types/scheduling/v1.d.ts';
import type { PodGroup } from '../../api/types/scheduling/v1alpha2.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, boolean, column, each, integer, nameColumn, NONE } from './column.ts';

export const priorityClassColumns: readonly Column[] = [
  nameColumn,
  integer<PriorityClass>('Value', 'Priority of its pods; more goes first', ({ value }) => value),
  boolean<PriorityClass>(
    'Global-Default',
    'Whether pods get it that ask for none',
    ({ globalDefault = false }) => globalDefault,
  ),
  ageColumn,
  column<PriorityClass>(
    'PreemptionPolicy',
    'Whether its pods push others out',
    ({ preemptionPolicy = '' }) => preemptionPolicy,
  ),
];

export const workloadColumns: readonly Column[] = [nameColumn, ageColumn];

export const podGroupColumns: readonly Column[] = [
  nameColumn,
  column<PodGroup>('Policy', 'Whether its pods are scheduled one by one or together', ({ spec }) =>
    spec?.schedulingPolicy?.gang === undefined ? 'Basic' : 'Gang',
  ),
  column<PodGroup>('Workload', 'Workload it is made from', ({ spec }) => workloadName(spec?.podGroupTemplateRef)),
  column<PodGroup>('Status', 'Whether there is room for it', groupStatus),
  ageColumn,
];

/** A reference that is not there is printed as null. */
function workloadName(reference: NonNullable<PodGroup['spec']>['podGroupTemplateRef'] | null): string {
  return reference === undefined || reference === null ? NONE : (reference.workload?.workloadName ?? '');
}

function groupStatus({ status }: PodGroup): string {
  const conditions = new Map(each(status?.conditions).map((condition) => [condition.type, condition]));
  const disruption = conditions.get('DisruptionTarget');
  if (disruption !== undefined) return disruption.reason;
  const scheduled = conditions.get('PodGroupScheduled');
  if (scheduled === undefined) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}

export const podDisruptionBudgetColumns: readonly Column[] = [
  nameColumn,
  column<PodDisruptionBudget>('Min Available', 'Fewest pods that must stay', ({ spec }) =>
    String(spec?.minAvailable ?? 'N/A'),
  ),
  column<PodDisruptionBudget>('Max Unavailable', 'Most pods that may be missing', ({ spec }) =>
    String(spec?.maxUnavailable ?? 'N/A'),
  ),
  integer<PodDisruptionBudget>(
    'Allowed Disruptions',
    'How many pods may be evicted now',
    ({ status }) => status?.disruptionsAllowed ?? 0,
  ),
  ageColumn,
];

export const leaseColumns: readonly Column[] = [
  nameColumn,
  column<Lease>('Holder', 'Who holds the lease', ({ spec }) => spec?.holderIdentity ?? ''),
  ageColumn,
];

export const leaseCandidateColumns: readonly Column[] = [
  nameColumn,
  column<LeaseCandidate>('LeaseName', 'Lease that it would hold', ({ spec }) => spec?.leaseName ?? ''),
  column<LeaseCandidate>('BinaryVersion', 'Version of the program', ({ spec }) => spec?.binaryVersion ?? ''),
  column<LeaseCandidate>(
    'EmulationVersion',
    'Version that the program behaves as',
    ({ spec }) => spec?.emulationVersion ?? '',
  ),
  ageColumn,
];
