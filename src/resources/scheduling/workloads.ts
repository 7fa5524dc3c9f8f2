import type { PodGroup, PodGroupSpec, PodGroupTemplate, Workload } from '../../api/types/scheduling/v1alpha2.d.ts';
import type { ApiObject } from '../../api/index.ts';
import { ageColumn, column, each, nameColumn, NONE } from '../columns/column.ts';
import { type Conversion, defineKind } from '../kind.ts';

const GROUP = 'scheduling.k8s.io';

type Members = Readonly<Record<string, unknown>>;

/** In the first alpha version, templates of pod groups are called groups, and have nothing but a policy. */
const firstConversion: Conversion = {
  toStored: (object) =>
    onSpec(object, ({ podGroups, ...spec }) => ({
      ...spec,
      podGroupTemplates: each(podGroups as readonly Members[]).map(({ name, policy }) => ({
        name,
        schedulingPolicy: policy,
      })),
    })),
  fromStored: (object) =>
    onSpec(object, ({ podGroupTemplates, ...spec }) => ({
      ...spec,
      podGroups: each(podGroupTemplates as readonly Members[]).map(({ name, schedulingPolicy }) => ({
        name,
        policy: schedulingPolicy,
      })),
    })),
};

function onSpec(object: ApiObject, change: (spec: Members) => Members): ApiObject {
  const spec = object['spec'] as Members | undefined;
  return spec === undefined ? object : { ...object, spec: change(spec) };
}

/** The alpha kinds for scheduling pods as groups. */
export const workloads = defineKind<Workload>({
  group: GROUP,
  plural: 'workloads',
  featureGate: 'GenericWorkload',
  columns: [nameColumn, ageColumn],
  storedVersion: 'v1alpha2',
  announcedVersions: ['v1alpha1@..1.35'],
  conversions: { v1alpha1: firstConversion },

  prepareForCreate(workload) {
    workload.spec = {
      ...workload.spec,
      podGroupTemplates: (workload.spec.podGroupTemplates ?? []).map((item) => ungated(item)),
    };
  },

  prepareForUpdate(workload, old) {
    const before = new Map((old.spec.podGroupTemplates ?? []).map((item) => [item.name, item]));
    const templates = workload.spec.podGroupTemplates ?? [];
    const podGroupTemplates = templates.map((item) => ungated(item, before.get(item.name)));
    workload.spec = { ...workload.spec, podGroupTemplates };
  },
});

export const podGroups = defineKind<PodGroup>({
  group: GROUP,
  plural: 'podgroups',
  featureGate: 'GenericWorkload',
  columns: [
    nameColumn,
    column('Policy', 'Whether its pods are scheduled one by one or together', ({ spec }) =>
      spec?.schedulingPolicy?.gang === undefined ? 'Basic' : 'Gang',
    ),
    column('Workload', 'Workload it is made from', ({ spec }) => workloadName(spec?.podGroupTemplateRef)),
    column('Status', 'Whether there is room for it', groupStatus),
    ageColumn,
  ],
  storedVersion: 'v1alpha2',
  statusMetadata: 'owned',
  resetFields: { status: ['metadata', 'spec'] },

  prepareForCreate(group) {
    group.spec = ungated(group.spec);
  },

  prepareForUpdate(group, old) {
    group.spec = ungated(group.spec, old.spec);
  },
});

/** Fields whose features are off by default: topology, preemption of whole groups, devices of groups. */
const GATED = ['schedulingConstraints', 'disruptionMode', 'priorityClassName', 'priority', 'resourceClaims'] as const;

function ungated<T extends PodGroupSpec | PodGroupTemplate>(spec: T, old?: T): T {
  const result: Record<string, unknown> = { ...spec };
  const before = (old ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of GATED) if (before[name] === undefined) delete result[name];
  return result as T;
}

/** A missing reference is printed as null. */
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
