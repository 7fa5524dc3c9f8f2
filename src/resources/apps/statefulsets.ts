import {
  asJson,
  defaultFeatures,
  dns1123LabelProblems,
  forbiddenField,
  invalidValue,
  matchLabelSelector,
  notSupported,
  required,
  sentEmpty,
  ValueError,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { StatefulSet, StatefulSetSpec } from '../../api/types/apps/v1.d.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { checkAnnotations, checkLabels } from '../../apiserver/index.ts';
import { deepEqual, minorOf } from '../../base/index.ts';
import { changes } from '../change.ts';
import { ageColumn, nameColumn } from '../columns/column.ts';
import { containerColumns, readyOfDesired } from '../columns/workload-columns.ts';
import { checkClaimSpec } from '../core/persistentvolumeclaim-rules.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { checkPodAnnotations } from '../core/pod-annotation-rules.ts';
import { checkAlwaysRunning, checkPodTemplateSpec } from '../core/pod-template-rules.ts';
import { withoutGatedTemplateFields } from '../core/pod-template.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { claimWarnings } from '../core/volume-warnings.ts';
import {
  checkCountOrPercent,
  checkNotMoreThanAll,
  checkReplicaCounts,
  checkWorkloadSelector,
  type CountRules,
  isNone,
} from './workload-rules.ts';
import { roundToMilli } from '../core/resource-list.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import { labelName } from '../name-rules.ts';
import { scaleOfSelector } from '../scale.ts';
import { nested, unversioned } from '../unversioned.ts';

export const statefulSets = ({ types: { version } }: KindEnvironment): Kind => {
  const hasMaxUnavailable = defaultFeatures(version).get('MaxUnavailableStatefulSet') === true;
  return defineKind<StatefulSet>({
    statusSteps: ['object', 'metadataChange'],
    group: 'apps',
    plural: 'statefulsets',
    columns: [nameColumn, readyOfDesired, ageColumn, ...containerColumns<StatefulSet>(({ spec }) => spec?.template)],
    checkName: labelName,
    raisesGeneration: changes('spec'),

    applyDefaults({ spec }) {
      defaultPodTemplate(spec.template);
      defaultUpdateStrategy(spec, hasMaxUnavailable);
      for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim);
    },

    prepareForCreate(object) {
      object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, undefined) };
    },

    prepareForUpdate(object, old) {
      object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
    },

    warnings: ({ metadata, spec }, old) => [
      ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
      ...(spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
        // On updates, upstream has another path.
        claimWarnings(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}]${old === undefined ? '' : '.Spec'}`),
      ),
      ...((spec.revisionHistoryLimit ?? 0) < 0
        ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
        : []),
    ],
    validate: checkStatefulSet,
    validateUpdate: ({ spec }) => checkSpec(spec, { isNew: false }),
    validateChange: minorOf(version) < OWN_IMMUTABLES ? checkStatefulSetChange : checkImmutables,
    validateStatus: checkStatefulSetStatus,
    subresources: { scale: scaleOfSelector },
  });
};

/** Fills in parameters only if no strategy was stated. */
function defaultUpdateStrategy(spec: StatefulSetSpec, hasMaxUnavailable: boolean): void {
  const strategy = (spec.updateStrategy ??= {});
  if ((strategy.type ?? '') === '') {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type !== 'RollingUpdate' || strategy.rollingUpdate === undefined) return;
  strategy.rollingUpdate.partition ??= 0;
  if (hasMaxUnavailable) strategy.rollingUpdate.maxUnavailable ??= 1;
}

function defaultClaim(claim: PersistentVolumeClaim): void {
  claim.kind = 'PersistentVolumeClaim';
  claim.apiVersion = 'v1';
  roundToMilli(claim.spec?.resources?.limits);
  roundToMilli(claim.spec?.resources?.requests);
}

const NEGATIVE = 'must be greater than or equal to 0';

function checkStatefulSet({ spec }: Whole<StatefulSet>): FieldError[] {
  return checkSpec(spec, { isNew: true });
}

/** What may not change is not checked on updates, where it may be older than its rules. */
function checkSpec(spec: StatefulSetSpec, { isNew }: { readonly isNew: boolean }): FieldError[] {
  const { serviceName = '', selector, template, volumeClaimTemplates = [], ordinals } = spec;
  const { replicas = 0, minReadySeconds = 0 } = spec;
  const claims = isNew ? volumeClaimTemplates : [];
  const start = ordinals?.start ?? 0;
  return [
    ...checkPolicies(spec),
    ...checkRetention(spec),
    ...claims.flatMap((claim, index) => checkClaimSpec(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`)),
    ...(replicas < 0 ? [invalidValue('spec.replicas', replicas, NEGATIVE)] : []),
    ...(minReadySeconds < 0 ? [invalidValue('spec.minReadySeconds', minReadySeconds, NEGATIVE)] : []),
    ...(start < 0 ? [invalidValue('spec.ordinals.start', start, NEGATIVE)] : []),
    ...(isNew && serviceName !== ''
      ? dns1123LabelProblems(serviceName).map((problem) => invalidValue('spec.serviceName', serviceName, problem))
      : []),
    ...((selector ?? undefined) === undefined
      ? [required('spec.selector')]
      : checkWorkloadSelector(selector, 'statefulset')),
    ...checkTemplate(spec),
    ...checkAlwaysRunning(template, 'spec.template', 'StatefulSet'),
  ];
}

/** Upstream checks the template's metadata twice. */
function checkTemplate(spec: StatefulSetSpec): FieldError[] {
  const field = 'spec.template';
  const matcher = matchLabelSelector(spec.selector ?? undefined);
  if (matcher instanceof ValueError) return [invalidValue('spec.selector', spec.selector, '')];
  const template = withClaimedVolumes(spec);
  const { labels, annotations } = template.metadata ?? {};
  const isMatched = matcher.isEmpty || matcher.matches(labels);
  const detail = '`selector` does not match template `labels`';
  return [
    ...(isMatched
      ? []
      : [invalidValue(`${field}.metadata.labels`, labels ?? sentEmpty(template.metadata, 'labels'), detail)]),
    ...checkPodTemplateSpec(template, field),
    ...checkLabels(labels, `${field}.labels`),
    ...checkAnnotations(annotations, `${field}.annotations`),
    ...checkPodAnnotations(annotations, template.spec ?? { containers: [] }, `${field}.annotations`),
  ];
}

const RETENTION = ['Retain', 'Delete'];

function checkRetention({ persistentVolumeClaimRetentionPolicy: policy }: StatefulSetSpec): FieldError[] {
  if (policy === undefined) return [];
  return (['whenDeleted', 'whenScaled'] as const).flatMap((name) => {
    const word: string = policy[name] ?? '';
    if (RETENTION.includes(word)) return [];
    return [notSupported(`spec.persistentVolumeClaimRetentionPolicy.${name}`, asJson(word ?? ''), RETENTION)];
  });
}

const ROLLING = { Partition: 0, MaxUnavailable: null };

function checkPolicies({ podManagementPolicy, updateStrategy = {} }: StatefulSetSpec): FieldError[] {
  const errors: FieldError[] = [];
  const management: string = podManagementPolicy ?? '';
  if (management === '') errors.push(required('spec.podManagementPolicy'));
  else if (management !== 'OrderedReady' && management !== 'Parallel') {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    errors.push(invalidValue('spec.podManagementPolicy', podManagementPolicy, detail));
  }
  const { rollingUpdate } = updateStrategy;
  const type: string = updateStrategy.type ?? '';
  const field = 'spec.updateStrategy';
  if (type === '') return [...errors, required(field)];
  if (type !== 'OnDelete' && type !== 'RollingUpdate') {
    const shown = unversioned(updateStrategy, { Type: '', RollingUpdate: nested(ROLLING) });
    return [...errors, invalidValue(field, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  if (rollingUpdate === undefined) return errors;
  if (type === 'OnDelete') {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return [...errors, invalidValue(`${field}.rollingUpdate`, unversioned(rollingUpdate, ROLLING), detail)];
  }
  const { partition = 0, maxUnavailable } = rollingUpdate;
  if (partition < 0) errors.push(invalidValue(`${field}.rollingUpdate.partition`, partition, NEGATIVE));
  return [...errors, ...checkMaxUnavailable(maxUnavailable, `${field}.rollingUpdate.maxUnavailable`)];
}

function checkMaxUnavailable(value: number | string | undefined, field: string): FieldError[] {
  if (value === undefined) return [];
  return [
    ...checkCountOrPercent(value, field),
    ...(isNone(value) ? [invalidValue(field, value, 'cannot be 0')] : []),
    ...checkNotMoreThanAll(value, field),
  ];
}

/** The template with the volumes that its pods will have: one for each claim template. */
function withClaimedVolumes({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  if (template?.spec === undefined) return template ?? {};
  const names = [...new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''))];
  const volumes = [
    ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(template.spec.volumes ?? []).filter(({ name }) => !names.includes(name)),
  ];
  return { ...template, spec: { ...template.spec, volumes, hostname: undefined, subdomain: undefined } };
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

function checkStatefulSetChange({ spec }: Whole<StatefulSet>, old: Whole<StatefulSet>): FieldError[] {
  const kept = Object.fromEntries(CHANGEABLE.map((name) => [name, old.spec[name]]));
  if (deepEqual({ ...spec, ...kept }, old.spec)) return [];
  const names = CHANGEABLE.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const detail = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return [forbiddenField('spec', detail)];
}

const PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
const STATUS: CountRules = {
  counts: ['replicas', ...PARTS, 'observedGeneration', 'collisionCount'],
  parts: PARTS,
  ready: 'status.readyReplicas',
};

function checkStatefulSetStatus({ status }: Whole<StatefulSet>, old: Whole<StatefulSet>): FieldError[] {
  const errors = checkReplicaCounts(status, STATUS);
  if (old.status.collisionCount !== undefined && (status.collisionCount ?? 0) < old.status.collisionCount) {
    errors.push(invalidValue('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented'));
  }
  return errors;
}

/** The first minor version of Kubernetes that names each field that must not change. */
const OWN_IMMUTABLES = 37;

const IMMUTABLES = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy'] as const;

function checkImmutables({ spec }: Whole<StatefulSet>, old: Whole<StatefulSet>): FieldError[] {
  return IMMUTABLES.filter((name) => !deepEqual(spec[name], old.spec[name])).map((name) =>
    invalidValue(`spec.${name}`, spec[name] ?? null, 'field is immutable'),
  );
}
