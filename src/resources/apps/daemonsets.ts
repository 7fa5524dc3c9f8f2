import {
  formatLabels,
  invalidValue,
  matchLabelSelector,
  notSupported,
  parseGoInteger,
  required,
  ValueError,
  withMeta,
  sentEmpty,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { DaemonSet, DaemonSetSpec } from '../../api/types/apps/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { changes } from '../change.ts';
import { ageColumn, column, integer, nameColumn } from '../columns/column.ts';
import {
  containerColumns,
  PODS_AVAILABLE,
  PODS_READY,
  PODS_THERE,
  PODS_UPDATED,
  PODS_WANTED,
  selectorColumn,
} from '../columns/workload-columns.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { checkLongRunningTemplate } from '../core/pod-template-rules.ts';
import { withoutGatedTemplateFields } from '../core/pod-template.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkLabelSelector, isEmptySelector } from '../label-selector-rules.ts';
import { withEntries } from '../object-meta.ts';
import { nested, unversioned } from '../unversioned.ts';
import { checkCountOrPercent, checkNotMoreThanAll, isNone } from './workload-rules.ts';

/** The number of template changes; formerly a field, now an annotation. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSets = defineKind<DaemonSet>({
  changeSteps: ['metadataChange', 'change', 'object'],
  group: 'apps',
  plural: 'daemonsets',
  columns: [
    nameColumn,
    integer('Desired', PODS_WANTED, ({ status }) => status?.desiredNumberScheduled ?? 0),
    integer('Current', PODS_THERE, ({ status }) => status?.currentNumberScheduled ?? 0),
    integer('Ready', PODS_READY, ({ status }) => status?.numberReady ?? 0),
    integer('Up-to-date', PODS_UPDATED, ({ status }) => status?.updatedNumberScheduled ?? 0),
    integer('Available', PODS_AVAILABLE, ({ status }) => status?.numberAvailable ?? 0),
    column('Node Selector', 'Labels of the nodes that its pods run on', ({ spec }) =>
      formatLabels(spec?.template?.spec?.nodeSelector ?? {}),
    ),
    ageColumn,
    ...containerColumns<DaemonSet>(({ spec }) => spec?.template),
    selectorColumn(({ spec }) => spec?.selector),
  ],
  raisesGeneration: changes('spec'),
  ownRulesFor: ['spec.selector', 'spec.updateStrategy.type'],

  applyDefaults(object) {
    defaultPodTemplate(object.spec.template);
    defaultUpdateStrategy(object.spec);
    setTemplateGeneration(object, templateGeneration(object)); // the writer of the object owns the annotation
  },

  prepareForCreate(object) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template) };
    setTemplateGeneration(object, atLeastOne(templateGeneration(object)));
  },

  prepareForUpdate(object, old) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
    const isSame = deepEqual(object.spec.template, old.spec.template);
    setTemplateGeneration(object, templateGeneration(old) + (isSame ? 0n : 1n));
  },

  prepareForStatusUpdate(object, old) {
    setTemplateGeneration(object, templateGeneration(old));
  },

  warnings: ({ metadata, spec }, old) => templateWarnings(spec.template, 'spec.template', { metadata, old }),
  validate: checkDaemonSet,
  validateChange: ({ spec }, old) =>
    deepEqual(spec.selector, old.spec.selector)
      ? []
      : [invalidValue('spec.selector', spec.selector ?? null, 'field is immutable')],
  validateStatus: checkDaemonSetStatus,
});

function defaultUpdateStrategy(spec: DaemonSetSpec): void {
  const { updateStrategy } = spec;
  const isRolling = updateStrategy?.type === 'RollingUpdate';
  if (updateStrategy === undefined || (!isRolling && updateStrategy.rollingUpdate === undefined)) return;
  updateStrategy.rollingUpdate ??= {};
  updateStrategy.rollingUpdate.maxUnavailable ??= isRolling ? 1 : 0;
  updateStrategy.rollingUpdate.maxSurge ??= 0;
}

/** The annotation's value, as an integer of 64 bits; 0 when absent or malformed. */
function templateGeneration({ metadata }: Whole<DaemonSet>): bigint {
  const value = parseGoInteger(metadata.annotations?.[TEMPLATE_GENERATION] ?? '', 'ParseInt', 64);
  return value instanceof ValueError ? 0n : value;
}

function atLeastOne(generation: bigint): bigint {
  return generation < 1n ? 1n : generation;
}

function setTemplateGeneration(object: Whole<DaemonSet>, generation: bigint): void {
  const text = String(BigInt.asIntN(64, generation)); // wraps around like Go's int64
  const annotations = withEntries(object.metadata.annotations, { [TEMPLATE_GENERATION]: text });
  object.metadata = withMeta(object.metadata, { annotations });
}

function checkDaemonSet({ spec }: Whole<DaemonSet>): FieldError[] {
  const { template, selector } = spec;
  const matcher = matchLabelSelector(selector ?? undefined);
  const labels = template.metadata?.labels;
  const errors = checkLabelSelector(selector ?? undefined, 'spec.selector');
  if (!(matcher instanceof ValueError) && !matcher.matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(
      invalidValue('spec.template.metadata.labels', labels ?? sentEmpty(template.metadata, 'labels'), detail),
    );
  }
  if (selector !== undefined && selector !== null && isEmptySelector(selector)) {
    errors.push(invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset'));
  }
  errors.push(...checkLongRunningTemplate(template, 'spec.template', 'DaemonSet'));
  return [...errors, ...checkUpdateStrategy(spec)];
}

const STRATEGY = { Type: '', RollingUpdate: nested({ MaxUnavailable: 0, MaxSurge: 0 }) };

function checkUpdateStrategy({ updateStrategy }: DaemonSetSpec): FieldError[] {
  const { type, rollingUpdate } = updateStrategy ?? {};
  const field = 'spec.updateStrategy.rollingUpdate';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const shown = unversioned(updateStrategy ?? {}, STRATEGY);
    return [notSupported('spec.updateStrategy', shown, ['RollingUpdate', 'OnDelete'])];
  }
  if (rollingUpdate === undefined) return [required(field)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const errors = [
    ...checkCountOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...checkCountOrPercent(maxSurge, `${field}.maxSurge`),
    ...checkNotMoreThanAll(maxUnavailable, `${field}.maxUnavailable`),
    ...checkNotMoreThanAll(maxSurge, `${field}.maxSurge`),
  ];
  if (!isNone(maxUnavailable) && !isNone(maxSurge)) {
    errors.push(invalidValue(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}

function checkDaemonSetStatus({ status }: Whole<DaemonSet>, old: Whole<DaemonSet>): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(status)) {
    if (typeof value === 'number' && value < 0) {
      errors.push(invalidValue(`status.${name}`, value, 'must be greater than or equal to 0'));
    }
  }
  if (old.status.collisionCount !== undefined && (status.collisionCount ?? 0) < old.status.collisionCount) {
    errors.push(invalidValue('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented'));
  }
  return errors;
}
