import { parseGoInteger, ValueError } from '../../api/client.ts';
import type { Deployment } from '../../api/types/apps/v1.d.ts';
import type { Observed, Sendable } from '../../client/index.ts';
import type { EventDetails } from '../../kit/index.ts';
import { copiedAnnotations, keptAnnotations, lastRevision, revisionOf, ROLLBACK_TO } from './annotations.ts';
import { isSameTemplate, type ReplicaSetObject, TEMPLATE_HASH } from './replica-sets.ts';

/** The result of a rollback: the updated Deployment without the rollback annotation, and the event. */
export interface Rollback {
  readonly deployment: Sendable<Deployment>;
  readonly event: EventDetails;
}

/** The revision to roll back to, 0 for the previous one; undefined when no rollback was requested. */
export function rollbackRevision({ metadata }: Observed<Deployment>): bigint | undefined {
  const text = metadata.annotations?.[ROLLBACK_TO];
  if (text === undefined || text === '') return undefined;
  const revision = parseGoInteger(text, 'ParseInt', 64);
  return revision instanceof ValueError ? undefined : revision;
}

/**
 * Restores the template and annotations of an earlier revision.
 *
 * Current clients patch the template themselves (`kubectl rollout undo`); the annotation comes from old ones.
 */
export function planRollback(
  deployment: Observed<Deployment>,
  requested: bigint,
  sets: readonly ReplicaSetObject[],
): Rollback {
  const revision = requested === 0n ? lastRevision(sets) : requested;
  if (revision === 0n) return refuse(deployment, 'RevisionNotFound', 'Unable to find last revision.');
  const target = sets.find((set) => revisionOf(set) === revision);
  if (target === undefined)
    return refuse(deployment, 'RevisionNotFound', 'Unable to find the revision to rollback to.');
  const { name } = deployment.metadata;
  if (isSameTemplate(target.spec?.template, deployment.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    return refuse(deployment, 'TemplateUnchanged', message);
  }
  const message = `Rolled back deployment "${name}" to revision ${revision}`;
  return { deployment: withTemplateOf(target, deployment), event: { reason: 'DeploymentRollback', message } };
}

function withTemplateOf(target: ReplicaSetObject, deployment: Observed<Deployment>): Sendable<Deployment> {
  const { [TEMPLATE_HASH]: _, ...labels } = target.spec?.template?.metadata?.labels ?? {};
  const template = {
    ...target.spec?.template,
    metadata: { ...target.spec?.template?.metadata, labels },
  };
  const annotations = {
    ...keptAnnotations(deployment.metadata.annotations),
    ...copiedAnnotations(target.metadata.annotations),
  };
  return withoutRequest({
    ...deployment,
    metadata: { ...deployment.metadata, annotations },
    ...(deployment.spec === undefined ? {} : { spec: { ...deployment.spec, template } }),
  });
}

function refuse(deployment: Observed<Deployment>, what: string, message: string): Rollback {
  return {
    deployment: withoutRequest(deployment),
    event: { type: 'Warning', reason: `DeploymentRollback${what}`, message },
  };
}

function withoutRequest(deployment: Observed<Deployment>): Sendable<Deployment> {
  const { [ROLLBACK_TO]: _, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
