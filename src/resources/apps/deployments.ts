import type { Deployment, DeploymentSpec } from '../../api/types/apps/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { deploymentColumns } from '../columns/workload-columns.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { podNameWarnings, withoutGatedTemplateFields } from '../core/pod-template.ts';
import { defineKind } from '../kind.ts';
import { scaleOfSelector } from '../scale.ts';
import { checkDeployment, checkDeploymentStatus } from './deployment-rules.ts';

export const deployments = defineKind<Deployment>({
  group: 'apps',
  plural: 'deployments',
  columns: deploymentColumns,
  statusMetadata: 'labels',
  judges: ['spec.strategy.type'],

  /** Annotations count too: they are copied to the replica sets. */
  raisesGeneration: (object, old) =>
    !deepEqual(object.spec, old.spec) || !deepEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {}),

  applyDefaults({ spec }) {
    defaultPodTemplate(spec.template);
    defaultStrategy(spec);
  },

  prepareForCreate(object) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template) };
  },

  prepareForUpdate(object, old) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
  },

  validate: checkDeployment,
  validateStatus: checkDeploymentStatus,
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name ?? '') : []),
    ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
  ],
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
