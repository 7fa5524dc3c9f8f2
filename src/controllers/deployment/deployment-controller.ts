import { matchLabelSelector, ValueError } from '../../api/client.ts';
import { controllerOf, isNamespaceTerminating } from '../../api/meaning/index.ts';
import type { Deployment as DeploymentObject, ReplicaSet as ReplicaSetObject } from '../../api/types/apps/v1.d.ts';
import type { Pod as PodObject } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { Deployment, type Observed, Pod, ReplicaSet } from '../../client/index.ts';
import { type Controller, controller, type ReconcileContext, watch } from '../../kit/index.ts';
import { claim, orphansByNamespace, ownerKeys } from '../ownership/index.ts';
import { TemplateHasher } from '../pod-template-hash/index.ts';
import { DeploymentSync } from './deployment-sync.ts';

const CONCURRENT_SYNCS = 5;

/** Rolls out each Deployment's pod template through ReplicaSets, one step per run. */
export function deploymentController(): Controller {
  const hasher = new TemplateHasher();
  const owners = { kind: Deployment, selectorOf: ({ spec }: Observed<DeploymentObject>) => spec?.selector };
  return controller(Deployment, {
    name: 'deployment',
    component: 'deployment-controller',
    concurrency: CONCURRENT_SYNCS,
    watches: [
      watch(ReplicaSet, { to: (set, context) => ownerKeys(set, owners, context), when: concernsOwners }),
      watch(Pod, { to: recreatedDeployment }),
    ],
    reconcile: (deployment, context) => reconcile(deployment, hasher, context),
  });
}

/** An orphan can only be adopted after a change of its labels. */
function concernsOwners(set: Observed<ReplicaSetObject>, old: Observed<ReplicaSetObject> | undefined): boolean {
  if (old === undefined || controllerOf(set) !== undefined || controllerOf(old) !== undefined) return true;
  return !deepEqual(set.metadata.labels, old.metadata.labels);
}

/** Pod changes matter only to Recreate Deployments, which wait for the last old pod to be gone. */
function recreatedDeployment(
  pod: Observed<PodObject>,
  { objects }: { readonly objects: ReconcileContext['objects'] },
): readonly string[] {
  const { namespace = '' } = pod.metadata;
  const setReference = controllerOf(pod);
  if (setReference?.kind !== ReplicaSet.kind) return [];
  const set = objects(ReplicaSet).get(`${namespace}/${setReference.name}`);
  const reference = set?.metadata.uid === setReference.uid ? controllerOf(set) : undefined;
  if (reference?.kind !== Deployment.kind) return [];
  const key = `${namespace}/${reference.name}`;
  const deployment = objects(Deployment).get(key);
  const isWaiting = deployment?.metadata.uid === reference.uid && deployment.spec?.strategy?.type === 'Recreate';
  return isWaiting ? [key] : [];
}

async function reconcile(
  deployment: Observed<DeploymentObject>,
  hasher: TemplateHasher,
  context: ReconcileContext,
): Promise<void> {
  if (deepEqual(deployment.spec?.selector, {})) return refuseSelector(deployment, context);
  const selector = matchLabelSelector(deployment.spec?.selector);
  if (selector instanceof ValueError) {
    throw new Error(`deployment ${context.key} has invalid label selector: ${selector.message}`);
  }
  const objects = context.objects(ReplicaSet);
  const { uid, namespace = '' } = deployment.metadata;
  const own = objects.list({ controlledBy: uid });
  const orphans = objects.byIndex(orphansByNamespace, namespace);
  const owners = context.objects(Deployment);
  const request = { owner: deployment, ownerKind: Deployment, owners, selector, kind: ReplicaSet, objects };
  const claimed = await claim([...own, ...orphans], request);
  try {
    await new DeploymentSync(deployment, claimed, { context, hasher }).run();
  } catch (error) {
    if (!isNamespaceTerminating(error)) throw error; // retrying is pointless in a terminating namespace
  }
}

async function refuseSelector(deployment: Observed<DeploymentObject>, context: ReconcileContext): Promise<void> {
  const message = 'This deployment is selecting all pods. A non-empty selector is required.';
  context.event({ type: 'Warning', reason: 'SelectingAll', message });
  const { generation = 0 } = deployment.metadata;
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return;
  const status = { ...deployment.status, observedGeneration: generation };
  await context.objects(Deployment).updateStatus({ ...deployment, status });
}
