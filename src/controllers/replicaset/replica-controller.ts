import { matchLabelSelector, ValueError } from '../../api/client.ts';
import { controllerOf, controllerReference, isActive, nextAvailableInMs } from '../../api/meaning/index.ts';
import type { ReplicaSetStatus } from '../../api/types/apps/v1.d.ts';
import type { Pod as PodObject } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { hasReason, keyOf, type KubernetesObject, type Observed, Pod, type Sendable } from '../../client/index.ts';
import { type Controller, controller, type Objects, type ReconcileContext, watch } from '../../kit/index.ts';
import { claim, orphansByNamespace, ownerKeys } from '../ownership/index.ts';
import { podFromTemplate } from '../pods/index.ts';
import { deletionAgeRatio } from './deletion-age-ratio.ts';
import { BURST_REPLICAS, manageReplicas, type PodChanges } from './manage-replicas.ts';
import { countPods, type PodCounts } from './pod-counts.ts';
import type { ReplicaKind, WantedReplicas } from './replica-kind.ts';
import { replicaStatus } from './replica-status.ts';

const CONCURRENT_SYNCS = 5;

/** What ReplicaSets and ReplicationControllers have in common. */
type WithStatus = KubernetesObject & { status?: ReplicaSetStatus };

/** Keeps the desired number of pods running for each object of the kind. */
export function replicaController<T extends WithStatus>(replicaKind: ReplicaKind<T>): Controller {
  const { kind, name, queueName = name, component, wantedOf } = replicaKind;
  const owners = { kind, selectorOf: (object: Observed<T>) => wantedOf(object).selector };
  return controller(kind, {
    name,
    queueName,
    component,
    concurrency: CONCURRENT_SYNCS,
    watches: [watch(Pod, { to: (pod, context) => ownerKeys(pod, owners, context), when: concernsOwners })],
    reconcile: (object, context) => reconcile(object, replicaKind, context),
  });
}

/** An orphan can only be adopted after a change of its labels. */
function concernsOwners(pod: Observed<PodObject>, old: Observed<PodObject> | undefined): boolean {
  if (old === undefined || controllerOf(pod) !== undefined || controllerOf(old) !== undefined) return true;
  return !deepEqual(pod.metadata.labels, old.metadata.labels);
}

async function reconcile<T extends WithStatus>(
  object: Observed<T>,
  replicaKind: ReplicaKind<T>,
  context: ReconcileContext,
): Promise<void> {
  const { kind, countsTerminating } = replicaKind;
  const wanted = replicaKind.wantedOf(object);
  const selector = matchLabelSelector(wanted.selector);
  if (selector instanceof ValueError) {
    context.log.warn('selector is invalid', { key: context.key, problem: selector.message });
    return;
  }
  const pods = context.objects(Pod);
  const owners = context.objects(kind);
  const { uid, namespace = '' } = object.metadata;
  const listOwn = (): Observed<PodObject>[] => pods.list({ controlledBy: uid });

  const count = (): PodCounts => countPods(pods, { uid, wanted, selector, nowMs: context.clock.now() });

  const isEligible = (pod: Observed<PodObject>): boolean => isActive(pod) && selector.matches(pod.metadata.labels);
  const orphans = pods.byIndex(orphansByNamespace, namespace).filter(isEligible);
  const before = count();
  const isUndisputed = orphans.length === 0 && !before.hasUnmatched;
  const claimed = isUndisputed
    ? undefined
    : await claim([...listOwn().filter(isActive), ...orphans], {
        owner: object,
        ownerKind: kind,
        owners,
        selector,
        kind: Pod,
        objects: pods,
      });
  const own: OwnPods = {
    count: claimed?.length ?? before.active,
    active: () => claimed ?? listOwn().filter(isActive),
  };

  const isAlive = object.metadata.deletionTimestamp === undefined;
  const failure = isAlive ? await changePods(own, { object, wanted, replicaKind, context }) : undefined;

  const nowMs = context.clock.now();
  const status = replicaStatus(wanted, { counts: count(), countsTerminating, failure, nowMs });
  await writeStatus(object, status, owners);
  if (failure !== undefined) throw failure;
  if (Math.abs(own.count - wanted.replicas) > BURST_REPLICAS && isAlive) context.after(0); // continue with the next burst
  if (wanted.minReadySeconds > 0 && status.readyReplicas !== status.availableReplicas) {
    const active = listOwn().filter(isEligible);
    context.after(nextAvailableInMs(active, wanted.minReadySeconds, nowMs) ?? wanted.minReadySeconds * 1000);
  }
}

/** Writes the status if it changed. After a conflict it is retried once. */
async function writeStatus<T extends WithStatus>(
  object: Observed<T>,
  status: ReplicaSetStatus,
  owners: Objects<T>,
): Promise<void> {
  if (deepEqual(status, object.status)) return;
  const withStatus = (base: Sendable<T>): Sendable<T> => ({ ...base, status });
  try {
    await owners.updateStatus(withStatus(object as Sendable<T>));
  } catch (error) {
    const latest = hasReason(error, 'Conflict') ? await owners.fetch(keyOf(object)) : undefined;
    if (latest?.metadata.uid !== object.metadata.uid) throw error;
    await owners.updateStatus(withStatus(latest as Sendable<T>));
  }
}

interface PodChange<T extends WithStatus> {
  readonly object: Observed<T>;
  readonly wanted: WantedReplicas;
  readonly replicaKind: ReplicaKind<T>;
  readonly context: ReconcileContext;
}

type OwnPods = Pick<PodChanges, 'count' | 'active'>;

function changePods<T extends WithStatus>(
  own: OwnPods,
  { object, wanted, replicaKind, context }: PodChange<T>,
): Promise<Error | undefined> {
  const reference = controllerReference(object, replicaKind.kind);
  const pods = context.objects(Pod);
  return manageReplicas(wanted.replicas, {
    ...own,
    pods,
    newPod: podFromTemplate(wanted.template, reference, object.metadata.namespace ?? ''),
    related: () => relatedPods(object, replicaKind, context),
    event: (details) => context.event(details),
    nowMs: context.clock.now(),
    ageRatios: context.metrics.shared(deletionAgeRatio),
  });
}

/** The pods of all objects with the same controller, such as a Deployment's other ReplicaSets. */
function relatedPods<T extends WithStatus>(
  object: Observed<T>,
  { kind }: ReplicaKind<T>,
  context: ReconcileContext,
): readonly Observed<PodObject>[] {
  const controlling = controllerOf(object);
  if (controlling === undefined) return [];
  const siblings = context.objects(kind).list({ controlledBy: controlling.uid });
  return siblings.flatMap((sibling) => context.objects(Pod).list({ controlledBy: sibling.metadata.uid }));
}
