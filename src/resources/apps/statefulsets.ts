import { dns1123LabelProblems, forbiddenField, invalidValue, matchLabelSelector, ValueError } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { StatefulSet, StatefulSetSpec } from '../../api/types/apps/v1.d.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { changes } from '../change.ts';
import { ageColumn, nameColumn } from '../columns/column.ts';
import { containerColumns, readyOfDesired } from '../columns/workload-columns.ts';
import { checkClaimSpec } from '../core/persistentvolumeclaim-rules.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { checkLongRunningTemplate } from '../core/pod-template-rules.ts';
import { withoutGatedTemplateFields } from '../core/pod-template.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { checkReplicaCounts, checkWorkloadSelector } from './workload-rules.ts';
import { roundToMilli } from '../core/resource-list.ts';
import { defineKind, type Whole } from '../kind.ts';
import { labelName } from '../name-rules.ts';
import { scaleOfSelector } from '../scale.ts';
import { nested, unversioned } from '../unversioned.ts';

export const statefulSets = defineKind<StatefulSet>({
  group: 'apps',
  plural: 'statefulsets',
  columns: [nameColumn, readyOfDesired, ageColumn, ...containerColumns<StatefulSet>(({ spec }) => spec?.template)],
  checkName: labelName,
  raisesGeneration: changes('spec'),
  ownRulesFor: ['spec.podManagementPolicy', 'spec.updateStrategy.type', 'spec.updateStrategy.rollingUpdate.partition'],

  applyDefaults({ spec }) {
    defaultPodTemplate(spec.template);
    defaultUpdateStrategy(spec);
    for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim);
  },

  prepareForCreate(object) {
    object.spec = withoutGatedFields(object.spec, undefined);
  },

  prepareForUpdate(object, old) {
    object.spec = withoutGatedFields(object.spec, old.spec);
  },

  warnings: ({ metadata, spec }, old) => [
    ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
    ...((spec.revisionHistoryLimit ?? 0) < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ],
  validate: checkStatefulSet,
  validateUpdate: checkStatefulSetUpdate,
  validateStatus: checkStatefulSetStatus,
  subresources: { scale: scaleOfSelector },
});

/** Fills in parameters only if no strategy was stated. */
function defaultUpdateStrategy(spec: StatefulSetSpec): void {
  const strategy = (spec.updateStrategy ??= {});
  if ((strategy.type ?? '') === '') {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0;
}

function defaultClaim(claim: PersistentVolumeClaim): void {
  claim.kind = 'PersistentVolumeClaim';
  claim.apiVersion = 'v1';
  roundToMilli(claim.spec?.resources?.limits);
  roundToMilli(claim.spec?.resources?.requests);
}

function withoutGatedFields(spec: StatefulSetSpec, old: StatefulSetSpec | undefined): StatefulSetSpec {
  const result = { ...spec, template: withoutGatedTemplateFields(spec.template, old?.template) };
  const rolling = spec.updateStrategy?.rollingUpdate;
  if (rolling?.maxUnavailable === undefined) return result;
  if (old?.updateStrategy?.rollingUpdate?.maxUnavailable !== undefined) return result;
  const { maxUnavailable: _, ...rest } = rolling;
  return { ...result, updateStrategy: { ...spec.updateStrategy, rollingUpdate: rest } };
}

function checkStatefulSet({ spec }: Whole<StatefulSet>): FieldError[] {
  const { serviceName = '' } = spec;
  return [
    ...checkSpec(spec),
    ...(spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
      claim.spec === undefined ? [] : checkClaimSpec(claim.spec, `spec.volumeClaimTemplates[${index}].spec`),
    ),
    ...(serviceName === ''
      ? []
      : dns1123LabelProblems(serviceName).map((problem) => invalidValue('spec.serviceName', serviceName, problem))),
  ];
}

function checkSpec(spec: StatefulSetSpec): FieldError[] {
  const errors = checkPolicies(spec);
  errors.push(...checkWorkloadSelector(spec.selector, 'statefulset'));
  const template = withClaimedVolumes(spec);
  const matcher = matchLabelSelector(spec.selector ?? undefined);
  const labels = template.metadata?.labels;
  if (!(matcher instanceof ValueError) && !matcher.isEmpty && !matcher.matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, detail));
  }
  return [...errors, ...checkLongRunningTemplate(template, 'spec.template', 'StatefulSet')];
}

const ROLLING = { Partition: 0, MaxUnavailable: null };

function checkPolicies({ podManagementPolicy, updateStrategy = {} }: StatefulSetSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel') {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    errors.push(invalidValue('spec.podManagementPolicy', podManagementPolicy ?? '', detail));
  }
  const { type, rollingUpdate } = updateStrategy;
  const field = 'spec.updateStrategy';
  if (type !== 'OnDelete' && type !== 'RollingUpdate') {
    const shown = unversioned(updateStrategy, { Type: '', RollingUpdate: nested(ROLLING) });
    return [...errors, invalidValue(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  if (rollingUpdate === undefined) return errors;
  if (type === 'OnDelete') {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return [...errors, invalidValue(`${field}.rollingUpdate`, unversioned(rollingUpdate, ROLLING), detail)];
  }
  const { partition = 0 } = rollingUpdate;
  if (partition >= 0) return errors;
  return [...errors, invalidValue(`${field}.rollingUpdate.partition`, partition, 'must be greater than or equal to 0')];
}

/** The template with the volumes that its pods will have: one for each claim template. */
function withClaimedVolumes({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  if (volumeClaimTemplates.length === 0 || template.spec === undefined) return template;
  const names = volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? '');
  const volumes = [
    ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(template.spec.volumes ?? []).filter(({ name }) => !names.includes(name)),
  ];
  return { ...template, spec: { ...template.spec, volumes } };
}

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const satisfies readonly (keyof StatefulSetSpec)[];

function checkStatefulSetUpdate(set: Whole<StatefulSet>, old: Whole<StatefulSet>): FieldError[] {
  const kept = Object.fromEntries(CHANGEABLE.map((name) => [name, old.spec[name]]));
  if (deepEqual({ ...set.spec, ...kept }, old.spec)) return checkSpec(set.spec);
  const names = CHANGEABLE.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const detail = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return [...checkSpec(set.spec), forbiddenField('spec', detail)];
}

const STATUS_PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;

function checkStatefulSetStatus({ status }: Whole<StatefulSet>, old: Whole<StatefulSet>): FieldError[] {
  const errors = checkReplicaCounts(status, STATUS_PARTS);
  if (old.status.collisionCount !== undefined && (status.collisionCount ?? 0) < old.status.collisionCount) {
    errors.push(invalidValue('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented'));
  }
  return errors;
}
