import {
  dns1123LabelProblems,
  forbiddenField,
  invalidValue,
  matchLabelSelector,
  notSupported,
  ValueError,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { StatefulSet, StatefulSetSpec } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { checkClaimSpec } from '../core/persistentvolumeclaim-rules.ts';
import { checkPodTemplateSpec } from '../core/pod-template-rules.ts';
import { checkReplicaCounts } from '../core/replica-counts.ts';
import type { Whole } from '../kind.ts';
import { nested, unversioned } from '../unversioned.ts';
import { checkWorkloadSelector } from './selector-rules.ts';

export function checkStatefulSet({ spec }: Whole<StatefulSet>): FieldError[] {
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
  errors.push(...checkPodTemplateSpec(template, 'spec.template'));
  if (template.spec?.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', template.spec?.restartPolicy ?? '', ['Always']));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = 'activeDeadlineSeconds in StatefulSet is not Supported';
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', detail));
  }
  return errors;
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

/** The template as its pods will be: each claim is a volume of its name. */
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

export function checkStatefulSetUpdate(set: Whole<StatefulSet>, old: Whole<StatefulSet>): FieldError[] {
  const kept = Object.fromEntries(CHANGEABLE.map((name) => [name, old.spec[name]]));
  if (deepEqual({ ...set.spec, ...kept }, old.spec)) return checkSpec(set.spec);
  const names = CHANGEABLE.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const detail = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return [...checkSpec(set.spec), forbiddenField('spec', detail)];
}

const STATUS_PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;

export function checkStatefulSetStatus({ status }: Whole<StatefulSet>, old: Whole<StatefulSet>): FieldError[] {
  const errors = checkReplicaCounts(status, STATUS_PARTS);
  if (old.status.collisionCount !== undefined && (status.collisionCount ?? 0) < old.status.collisionCount) {
    errors.push(invalidValue('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented'));
  }
  return errors;
}
