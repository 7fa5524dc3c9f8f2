import type { StatefulSet, StatefulSetSpec } from '../../api/types/apps/v1.d.ts';
import type { PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import { statefulSetColumns } from '../columns/workload-columns.ts';
import { changes } from '../change.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { withoutGatedTemplateFields } from '../core/pod-template.ts';
import { roundToMilli } from '../core/resource-list.ts';
import { defineKind } from '../kind.ts';
import { labelName } from '../name-rules.ts';
import { scaleOfSelector } from '../scale.ts';
import { checkStatefulSet, checkStatefulSetStatus, checkStatefulSetUpdate } from './statefulset-rules.ts';

export const statefulSets = defineKind<StatefulSet>({
  group: 'apps',
  plural: 'statefulsets',
  columns: statefulSetColumns,
  checkName: labelName,
  raisesGeneration: changes('spec'),
  judges: ['spec.podManagementPolicy', 'spec.updateStrategy.type', 'spec.updateStrategy.rollingUpdate.partition'],

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

/** Only a strategy that nobody named gets its parameters filled in. */
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
