import { scaleIntOrPercent, ValueError } from '../../api/client.ts';
import { controllerOf } from '../../api/meaning/index.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import {
  type Client,
  Deployment,
  hasReason,
  type Kind,
  type KubernetesObject,
  type Observed,
  type Pod,
  type PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '../../client/index.ts';
import type { AppContext } from '../../kit/index.ts';

type Reference = DeepReadonly<OwnerReference>;

/** The numbers that a budget demands. */
export interface ExpectedPods {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  /** Whether the budget needs controllers and some pods have none. */
  readonly hasUnmanaged: boolean;
}

/** The expected and the desired healthy number of pods. Percentages refer to the scale of the pods' controllers. */
export async function expectedPods(
  { spec }: Observed<PodDisruptionBudget>,
  pods: readonly Observed<Pod>[],
  context: AppContext,
): Promise<ExpectedPods> {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable !== 'string')
    return {
      expectedPods: minAvailable === undefined ? 0 : pods.length,
      desiredHealthy: minAvailable ?? 0,
      hasUnmanaged: false,
    };
  const scales = await scalesOf(pods, context);
  const expected = scales.reduce((sum, scale) => sum + scale, 0);
  const share = scaleIntOrPercent(maxUnavailable ?? minAvailable, expected, { round: 'up' });
  if (share instanceof ValueError) throw share;
  const desiredHealthy = maxUnavailable === undefined ? share : Math.max(0, expected - share);
  const hasUnmanaged = pods.some((pod) => controllerOf(pod) === undefined);
  return { expectedPods: expected, desiredHealthy, hasUnmanaged };
}

/** The scale of each controller of the pods. */
async function scalesOf(pods: readonly Observed<Pod>[], context: AppContext): Promise<readonly number[]> {
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference === undefined || seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const found = await scaleOf(reference, pod.metadata.namespace ?? '', context);
    if (found === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`);
    scales.set(found.uid, found.replicas);
  }
  return [...scales.values()];
}

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

async function scaleOf(reference: Reference, namespace: string, context: AppContext): Promise<Scale | undefined> {
  return (
    knownScale(ReplicationController, reference, { namespace, context }) ??
    replicaSetScale(reference, namespace, context) ??
    knownScale(StatefulSet, reference, { namespace, context }) ??
    (await servedScale(reference, namespace, context.client))
  );
}

/** A ReplicaSet that belongs to a Deployment counts with the Deployment's scale. */
function replicaSetScale(reference: Reference, namespace: string, context: AppContext): Scale | undefined {
  const set = knownObject(ReplicaSet, reference, { namespace, context });
  if (set === undefined) return undefined;
  const owner = controllerOf(set);
  if (owner?.kind !== Deployment.kind) return { uid: set.metadata.uid, replicas: set.spec?.replicas ?? 1 };
  return knownScale(Deployment, owner, { namespace, context });
}

interface Where {
  readonly namespace: string;
  readonly context: AppContext;
}

type Scaled = KubernetesObject & { spec?: { replicas?: number } };

function knownScale<T extends Scaled>(kind: Kind<T>, reference: Reference, where: Where): Scale | undefined {
  const object: DeepReadonly<Scaled> | undefined = knownObject(kind, reference, where);
  return object === undefined ? undefined : { uid: reference.uid, replicas: object.spec?.replicas ?? 1 };
}

function knownObject<T extends KubernetesObject>(
  kind: Kind<T>,
  reference: Reference,
  { namespace, context }: Where,
): Observed<T> | undefined {
  const group = reference.apiVersion.includes('/') ? reference.apiVersion.split('/')[0] : '';
  if (reference.kind !== kind.kind || group !== kind.group) return undefined;
  const object = context.objects(kind).get(`${namespace}/${reference.name}`);
  return object?.metadata.uid === reference.uid ? object : undefined;
}

/** The scale of any other scalable controller, including custom resources. */
async function servedScale(
  { apiVersion, kind, name, uid }: Reference,
  namespace: string,
  client: Client,
): Promise<Scale | undefined> {
  const served = await client.apis.find(apiVersion, kind);
  if (served === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  if (!served.subresources.includes('scale')) {
    const resource = served.group === '' ? served.plural : `${served.plural}.${served.group}`;
    throw new Error(`${resource} does not implement the scale subresource`);
  }
  try {
    const { metadata, spec } = await client.kind(served).namespace(namespace).scale.get(name);
    return metadata?.uid === uid ? { uid, replicas: spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
