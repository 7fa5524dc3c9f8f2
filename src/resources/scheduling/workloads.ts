import type { FieldError } from '../../api/index.ts';
import { minorOf } from '../../base/index.ts';
import type { PodGroup as EarlierPodGroup } from '../../api/types/scheduling/v1alpha2.d.ts';
import type { CompositePodGroup, PodGroup, Workload } from '../../api/types/scheduling/v1alpha3.d.ts';
import { ageColumn, column, each, nameColumn, NONE } from '../columns/column.ts';
import { checkConditions } from '../condition-rules.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import {
  earlierPodGroups,
  earlierWorkloads,
  firstWorkloads,
  laterPodGroups,
  laterWorkloads,
} from './workload-forms.ts';
import { checkPodGroup, checkWorkload } from './workload-rules.ts';

const GROUP = 'scheduling.k8s.io';

/** The first minor version of Kubernetes with the present form of these kinds. */
const PRESENT_FORM = 37;

function hasPresentForm({ types }: KindEnvironment): boolean {
  return minorOf(types.version) >= PRESENT_FORM;
}

/** The kinds for scheduling pods as groups, which are not served by default. */
export const workloads = (environment: KindEnvironment): Kind => {
  const gated = gatedFields(environment);
  return defineKind<Workload>({
    group: GROUP,
    plural: 'workloads',
    featureGate: 'GenericWorkload',
    columns: [nameColumn, ageColumn],
    ...(hasPresentForm(environment)
      ? { storedVersion: 'v1beta1', conversions: { v1alpha1: firstWorkloads, v1alpha2: earlierWorkloads } }
      : {
          storedVersion: 'v1alpha2',
          announcedVersions: ['v1alpha1@..1.35'],
          conversions: { v1alpha1: firstWorkloads, v1alpha3: laterWorkloads, v1beta1: laterWorkloads },
        }),

    ...(hasPresentForm(environment) ? { validate: checkNewWorkload, validateUpdate: checkWorkload } : {}),

    prepareForCreate(workload) {
      workload.spec = {
        ...ungated(workload.spec, gated),
        podGroupTemplates: each(workload.spec.podGroupTemplates).map((item) => ungated(item, gated)),
      };
    },

    prepareForUpdate(workload, old) {
      const before = new Map(each(old.spec.podGroupTemplates).map((item) => [item.name, item]));
      const podGroupTemplates = each(workload.spec.podGroupTemplates).map((item) =>
        ungated(item, gated, before.get(item.name)),
      );
      workload.spec = { ...ungated(workload.spec, gated, old.spec), podGroupTemplates };
    },
  });
};

export const podGroups = (environment: KindEnvironment): Kind => {
  const gated = gatedFields(environment);
  const isPresent = hasPresentForm(environment);
  return defineKind<PodGroup>({
    group: GROUP,
    plural: 'podgroups',
    featureGate: 'GenericWorkload',
    columns: [
      nameColumn,
      column('Policy', 'Whether its pods are scheduled one by one or together', policy),
      column('Workload', 'Workload it is made from', isPresent ? workloadName : earlierWorkloadName),
      column('Status', 'Whether there is room for it', (group) =>
        groupStatus(group, isPresent ? 'PodGroupInitiallyScheduled' : 'PodGroupScheduled'),
      ),
      ageColumn,
    ],
    ...(isPresent
      ? { storedVersion: 'v1beta1', conversions: { v1alpha2: earlierPodGroups } }
      : { storedVersion: 'v1alpha2', conversions: { v1alpha3: laterPodGroups, v1beta1: laterPodGroups } }),
    statusMetadata: 'owned',
    resetFields: { status: ['metadata', 'spec'] },

    ...(isPresent ? { validate: checkNewPodGroup, validateUpdate: checkPodGroup } : {}),

    prepareForCreate(group) {
      group.spec = ungated(group.spec, gated);
    },

    prepareForUpdate(group, old) {
      group.spec = ungated(group.spec, gated, old.spec);
    },
  });
};

export const compositePodGroups = defineKind<CompositePodGroup>({
  group: GROUP,
  plural: 'compositepodgroups',
  featureGate: 'CompositePodGroup',
  columns: [
    nameColumn,
    column('Policy', 'Whether its groups are scheduled one by one or together', policy),
    column('Workload', 'Workload it is made from', workloadName),
    ageColumn,
  ],
  storedVersion: 'v1alpha3',
  requiresResourceVersion: true,
  statusMetadata: 'owned',
  resetFields: { status: ['metadata', 'spec'] },
  validateStatus: ({ status }) => checkConditions(each(status.conditions), 'status.conditions'),

  prepareForCreate(group) {
    group.spec = ungated(group.spec, ['preemptionPolicy']);
  },

  prepareForUpdate(group, old) {
    group.spec = ungated(group.spec, ['preemptionPolicy'], old.spec);
  },
});

function checkNewWorkload(workload: Whole<Workload>): FieldError[] {
  return checkWorkload(workload);
}

function checkNewPodGroup(group: Whole<PodGroup>): FieldError[] {
  return checkPodGroup(group);
}

/** Fields whose features are off by default: topology, devices of groups, preemption by or of whole groups, groups of groups. */
function gatedFields(environment: KindEnvironment): readonly string[] {
  const always = ['schedulingConstraints', 'resourceClaims'];
  return hasPresentForm(environment)
    ? [...always, 'preemptionPolicy', 'parentCompositePodGroupName', 'compositePodGroupTemplates']
    : [...always, 'disruptionMode', 'priorityClassName', 'priority'];
}

function ungated<T extends object>(spec: T, gated: readonly string[], old?: T): T {
  const kept = Object.entries(spec).filter(
    ([name]) => !gated.includes(name) || (old !== undefined && Object.hasOwn(old, name)),
  );
  return Object.fromEntries(kept) as T;
}

function policy({ spec }: { readonly spec?: { readonly schedulingPolicy?: { readonly gang?: object } } }): string {
  return spec?.schedulingPolicy?.gang === undefined ? 'Basic' : 'Gang';
}

interface WithReference {
  readonly spec?: { readonly workloadRef?: { readonly workloadName?: string } };
}

function workloadName({ spec }: WithReference): string {
  return spec?.workloadRef === undefined ? NONE : (spec.workloadRef.workloadName ?? '');
}

/** Before 1.37 the reference was a union; a missing one is printed as null. */
function earlierWorkloadName(group: object): string {
  const reference: NonNullable<EarlierPodGroup['spec']>['podGroupTemplateRef'] | null = (group as EarlierPodGroup).spec
    ?.podGroupTemplateRef;
  return reference === undefined || reference === null ? NONE : (reference.workload?.workloadName ?? '');
}

function groupStatus({ status }: PodGroup, scheduling: string): string {
  const conditions = new Map(each(status?.conditions).map((condition) => [condition.type, condition]));
  const disruption = conditions.get('DisruptionTarget');
  if (disruption !== undefined) return disruption.reason;
  const scheduled = conditions.get(scheduling);
  if (scheduled === undefined) return 'Pending';
  return scheduled.status === 'True' ? 'Scheduled' : 'Unschedulable';
}
