import { forbiddenField, invalidValue, matchLabelSelector, notSupported, ValueError } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Deployment, DeploymentSpec } from '../../api/types/apps/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, nameColumn, wide } from '../columns/column.ts';
import { containerColumns, PODS_AVAILABLE, PODS_UPDATED, readyOfDesired } from '../columns/workload-columns.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { templateHooks } from '../core/pod-template.ts';
import {
  checkCountOrPercent,
  checkNotMoreThanAll,
  checkReplicaCounts,
  type CountRules,
  checkSelectedTemplate,
  checkWorkloadSelector,
  isNone,
} from './workload-rules.ts';
import { defineKind, type Whole } from '../kind.ts';
import { scaleOfSelector } from '../scale.ts';
import { nested, unversioned } from '../unversioned.ts';

export const deployments = defineKind<Deployment>({
  ...templateHooks,
  group: 'apps',
  plural: 'deployments',
  columns: [
    nameColumn,
    readyOfDesired,
    column('Up-to-date', PODS_UPDATED, ({ status }) => status?.updatedReplicas ?? 0),
    column('Available', PODS_AVAILABLE, ({ status }) => status?.availableReplicas ?? 0),
    ageColumn,
    ...containerColumns<Deployment>(({ spec }) => spec?.template),
    wide('Selector', 'Labels of the pods that belong to it', deploymentSelector),
  ],
  statusMetadata: 'labels',
  ownRulesFor: ['spec.strategy.type'],

  /** Annotations count too, because they are copied to the replica sets. */
  raisesGeneration: (object, old) =>
    !deepEqual(object.spec, old.spec) || !deepEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}),

  applyDefaults({ spec }) {
    defaultPodTemplate(spec.template);
    defaultStrategy(spec);
  },

  validate: checkDeployment,
  validateStatus: checkDeploymentStatus,
  subresources: { scale: scaleOfSelector },
});

const QUARTER = '25%';

function defaultStrategy(spec: DeploymentSpec): void {
  const { strategy } = spec;
  if (strategy?.type !== 'RollingUpdate') return;
  strategy.rollingUpdate ??= {};
  strategy.rollingUpdate.maxUnavailable ??= QUARTER;
  strategy.rollingUpdate.maxSurge ??= QUARTER;
}

function checkDeployment({ spec }: Whole<Deployment>): FieldError[] {
  const errors = [
    ...checkWorkloadSelector(spec.selector, 'deployment'),
    ...checkSelectedTemplate(spec.template, spec.selector ?? undefined),
    ...checkStrategy(spec),
  ];
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (deadline !== undefined && deadline < 0) {
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than or equal to 0'));
  }
  if (deadline !== undefined && deadline <= minReadySeconds) {
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  }
  return errors;
}

const STRATEGY = { Type: '', RollingUpdate: nested({ MaxUnavailable: 0, MaxSurge: 0 }) };

function checkStrategy({ strategy }: DeploymentSpec): FieldError[] {
  const { type, rollingUpdate } = strategy ?? {};
  const field = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return [];
    return [forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') {
    return [notSupported('spec.strategy', unversioned(strategy ?? {}, STRATEGY), ['Recreate', 'RollingUpdate'])];
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const errors = [
    ...checkCountOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...checkCountOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.push(invalidValue(`${field}.maxUnavailable`, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...checkNotMoreThanAll(maxUnavailable, `${field}.maxUnavailable`)];
}

const STATUS: CountRules = {
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
};

function checkDeploymentStatus({ status }: Whole<Deployment>, old: Whole<Deployment>): FieldError[] {
  const { collisionCount } = status;
  const errors = checkReplicaCounts(status, STATUS);
  if (old.status.collisionCount !== undefined && (collisionCount ?? 0) < old.status.collisionCount) {
    errors.push(invalidValue('status.collisionCount', collisionCount ?? 0, 'cannot be decremented'));
  }
  return errors;
}

/** Unlike in other kinds, an empty selector is shown as empty. */
function deploymentSelector({ spec }: Deployment): string {
  const matcher = matchLabelSelector(spec?.selector ?? undefined);
  return matcher instanceof ValueError ? '<invalid>' : matcher.toString();
}
