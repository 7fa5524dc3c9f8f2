import type { Lease } from '../../api/types/coordination/v1.d.ts';
import type { LeaseCandidate } from '../../api/types/coordination/v1beta1.d.ts';
import type { PodDisruptionBudget } from '../../api/types/policy/v1.d.ts';
import type { PriorityClass } from '../../api/types/scheduling/v1.d.ts';
import type { PodGroup } from '../../api/types/scheduling/v1alpha2.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE } from './column.ts';

export const priorityClassColumns: readonly Column[] = [
  nameColumn,
  column<PriorityClass>('Value', ({ value }) => value, {
    type: 'integer',
    description: 'Priority of its pods; more goes first',
  }),
  column<PriorityClass>('Global-Default', ({ globalDefault = false }) => globalDefault, {
    type: 'boolean',
    description: 'Whether pods get it that ask for none',
  }),
  ageColumn,
  column<PriorityClass>('PreemptionPolicy', ({ preemptionPolicy = '' }) => preemptionPolicy, {
    description: 'Whether its pods push others out',
  }),
];

export const workloadColumns: readonly Column[] = [nameColumn, ageColumn];

export const podGroupColumns: readonly Column[] = [
  nameColumn,
  column<PodGroup>('Policy', ({ spec }) => (spec?.schedulingPolicy?.gang === undefined ? 'Basic' : 'Gang'), {
    description: 'Whether its pods are scheduled one by one or together',
  }),
  column<PodGroup>('Workload', ({ spec }) => workloadName(spec?.podGroupTemplateRef), {
    description: 'Workload it is made from',
  }),
  column<PodGroup>('Status', groupStatus, { description: 'Whether there is room for it' }),
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
  column<PodDisruptionBudget>('Min Available', ({ spec }) => String(spec?.minAvailable ?? 'N/A'), {
    description: 'Fewest pods that must stay',
  }),
  column<PodDisruptionBudget>('Max Unavailable', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A'), {
    description: 'Most pods that may be missing',
  }),
  column<PodDisruptionBudget>('Allowed Disruptions', ({ status }) => status?.disruptionsAllowed ?? 0, {
    type: 'integer',
    description: 'How many pods may be evicted now',
  }),
  ageColumn,
];

export const leaseColumns: readonly Column[] = [
  nameColumn,
  column<Lease>('Holder', ({ spec }) => spec?.holderIdentity ?? '', { description: 'Who holds the lease' }),
  ageColumn,
];

export const leaseCandidateColumns: readonly Column[] = [
  nameColumn,
  column<LeaseCandidate>('LeaseName', ({ spec }) => spec?.leaseName ?? '', { description: 'Lease that it would hold' }),
  column<LeaseCandidate>('BinaryVersion', ({ spec }) => spec?.binaryVersion ?? '', {
    description: 'Version of the program',
  }),
  column<LeaseCandidate>('EmulationVersion', ({ spec }) => spec?.emulationVersion ?? '', {
    description: 'Version that the program behaves as',
  }),
  ageColumn,
];
