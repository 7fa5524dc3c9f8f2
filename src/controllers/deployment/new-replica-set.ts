import type { Deployment, ReplicaSet } from '../../api/types/apps/v1.d.ts';
import { Deployment as DeploymentKind, type Observed, type Sendable } from '../../client/index.ts';
import { controllerReference } from '../../api/meaning/index.ts';
import { currentSetAnnotations, sizeAnnotations } from './annotations.ts';
import { type DeploymentView, viewDeployment } from './deployment-view.ts';
import { TEMPLATE_HASH } from './replica-sets.ts';

/** Maximum length of object names. */
const MAX_NAME_LENGTH = 253;

export interface NewReplicaSetOptions {
  readonly hash: string;
  readonly revision: bigint;
  readonly replicas: number;
}

/** A ReplicaSet for the current template, with the template's hash in name, labels and selector. */
export function newReplicaSet(
  deployment: Observed<Deployment>,
  { hash, revision, replicas }: NewReplicaSetOptions,
): Sendable<ReplicaSet> {
  const view = viewDeployment(deployment);
  const { namespace = '' } = deployment.metadata;
  const labels = { ...view.template.metadata?.labels, [TEMPLATE_HASH]: hash };
  const selector = deployment.spec?.selector ?? {};
  return {
    metadata: {
      name: replicaSetName(view.name, hash),
      namespace,
      labels,
      annotations: newAnnotations(view, revision),
      ownerReferences: [controllerReference(deployment, DeploymentKind)],
    },
    spec: {
      replicas,
      ...(view.minReadySeconds === 0 ? {} : { minReadySeconds: view.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH]: hash } },
      template: { ...view.template, metadata: { ...view.template.metadata, labels } },
    },
  };
}

function newAnnotations(view: DeploymentView, revision: bigint): Readonly<Record<string, string>> {
  return { ...currentSetAnnotations(view, {}, revision), ...sizeAnnotations(view) };
}

/** The Deployment's name and the hash; a long name is truncated so that the hash fits. */
export function replicaSetName(deployment: string, hash: string): string {
  return `${deployment.slice(0, MAX_NAME_LENGTH - 1 - hash.length)}-${hash}`;
}
