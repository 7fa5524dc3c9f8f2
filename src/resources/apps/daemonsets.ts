import {
  forbiddenField,
  formatLabels,
  invalidValue,
  matchLabelSelector,
  notSupported,
  required,
  ValueError,
  withMeta,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { DaemonSet, DaemonSetSpec } from '../../api/types/apps/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
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
import { checkPodTemplateSpec } from '../core/pod-template-rules.ts';
import { withoutGatedTemplateFields } from '../core/pod-template.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkLabelSelector, isEmptySelector } from '../label-selector-rules.ts';
import { withEntries } from '../object-meta.ts';
import { nested, unversioned } from '../unversioned.ts';
import { checkCountOrPercent, checkNotMoreThanAll, isNone } from './percent-rules.ts';

/** How often the template changed; a field once, kept as an annotation since. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSets = defineKind<DaemonSet>({
  group: 'apps',
  plural: 'daemonsets',
  columns: [
    nameColumn,
    daemonSetCount('Desired', ({ desiredNumberScheduled }) => desiredNumberScheduled, PODS_WANTED),
    daemonSetCount('Current', ({ currentNumberScheduled }) => currentNumberScheduled, PODS_THERE),
    daemonSetCount('Ready', ({ numberReady }) => numberReady, PODS_READY),
    daemonSetCount('Up-to-date', ({ updatedNumberScheduled }) => updatedNumberScheduled, PODS_UPDATED),
    daemonSetCount('Available', ({ numberAvailable }) => numberAvailable, PODS_AVAILABLE),
    column('Node Selector', 'Labels of the nodes that its pods run on', ({ spec }) =>
      formatLabels(spec?.template?.spec?.nodeSelector ?? {}),
    ),
    ageColumn,
    ...containerColumns<DaemonSet>(({ spec }) => spec?.template),
    selectorColumn(({ spec }) => spec?.selector),
  ],
  raisesGeneration: changes('spec'),
  judges: ['spec.selector', 'spec.updateStrategy.type'],

  applyDefaults(object) {
    defaultPodTemplate(object.spec.template);
    defaultUpdateStrategy(object.spec);
    setTemplateGeneration(object, templateGeneration(object)); // whoever writes the object owns the annotation
  },

  prepareForCreate(object) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template) };
    setTemplateGeneration(object, Math.max(1, templateGeneration(object)));
  },

  prepareForUpdate(object, old) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
    const isSame = deepEqual(object.spec.template, old.spec.template);
    setTemplateGeneration(object, templateGeneration(old) + (isSame ? 0 : 1));
  },

  prepareForStatusUpdate(object, old) {
    setTemplateGeneration(object, templateGeneration(old));
  },

  warnings: ({ metadata, spec }, old) => templateWarnings(spec.template, 'spec.template', { metadata, old }),
  validate: checkDaemonSet,
  validateStatus: checkDaemonSetStatus,
});

function defaultUpdateStrategy(spec: DaemonSetSpec): void {
  const { updateStrategy } = spec;
  if (updateStrategy?.type !== 'RollingUpdate') return;
  updateStrategy.rollingUpdate ??= {};
  updateStrategy.rollingUpdate.maxUnavailable ??= 1;
  updateStrategy.rollingUpdate.maxSurge ??= 0;
}

function templateGeneration({ metadata }: Whole<DaemonSet>): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? '';
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(object: Whole<DaemonSet>, generation: number): void {
  const annotations = withEntries(object.metadata.annotations, { [TEMPLATE_GENERATION]: String(generation) });
  object.metadata = withMeta(object.metadata, { annotations });
}

function checkDaemonSet({ spec }: Whole<DaemonSet>): FieldError[] {
  const { template, selector } = spec;
  const matcher = matchLabelSelector(selector ?? undefined);
  const labels = template.metadata?.labels;
  const errors = checkLabelSelector(selector ?? undefined, 'spec.selector');
  if (!(matcher instanceof ValueError) && !matcher.matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, detail));
  }
  if (selector !== undefined && selector !== null && isEmptySelector(selector)) {
    errors.push(invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset'));
  }
  errors.push(...checkPodTemplateSpec(template, 'spec.template'));
  if (template.spec?.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', template.spec?.restartPolicy ?? '', ['Always']));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = 'activeDeadlineSeconds in DaemonSet is not Supported';
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', detail));
  }
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

type DaemonSetStatus = NonNullable<DaemonSet['status']>;

function daemonSetCount(
  name: string,
  count: (status: Partial<DaemonSetStatus>) => number | undefined,
  description: string,
): Column<DaemonSet> {
  return integer(name, description, ({ status }) => count(status ?? {}) ?? 0);
}
