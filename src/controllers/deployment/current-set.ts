import type { Deployment, ReplicaSet } from '../../api/types/apps/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { hasReason, type Observed } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { isControlledBy, isNamespaceTerminating } from '../../api/meaning/index.ts';
import type { TemplateHasher } from '../pod-template-hash/index.ts';
import { currentSetAnnotations, nextRevision, REVISION } from './annotations.ts';
import { findCondition, newCondition, withCondition } from './conditions.ts';
import type { DeploymentDraft } from './deployment-draft.ts';
import type { DeploymentSets } from './deployment-sets.ts';
import type { DeploymentView } from './deployment-view.ts';
import { newReplicaSet } from './new-replica-set.ts';
import { isSameTemplate, type ReplicaSetObject, totalSize } from './replica-sets.ts';
import { currentSetSize } from './rolling-plan.ts';

/** The dependencies for finding or creating the current ReplicaSet. */
export interface CurrentSetTools {
  readonly deployment: Observed<Deployment>;
  readonly view: DeploymentView;
  readonly sets: DeploymentSets;
  readonly draft: DeploymentDraft;
  readonly replicaSets: Objects<ReplicaSet>;
  readonly hasher: TemplateHasher;
  readonly nowMs: number;
  event(details: EventDetails): void;
}

/** Updates the annotations and revision of the current ReplicaSet, if it exists. */
export async function refreshCurrentSet({ view, sets, draft, nowMs }: CurrentSetTools): Promise<void> {
  const { current, old } = sets.sorted;
  if (current === undefined) return;
  const existing = current.metadata.annotations ?? {};
  const annotations = currentSetAnnotations(view, existing, nextRevision(old));
  const { minReadySeconds } = view;
  const isReadyTimeSame = (current.spec?.minReadySeconds ?? 0) === minReadySeconds;
  if (!isReadyTimeSame || !deepEqual(annotations, existing)) {
    await sets.change(current, {
      metadata: { annotations },
      ...(isReadyTimeSame ? {} : { spec: { minReadySeconds } }),
    });
  }
  draft.revision = annotations[REVISION];
  if (view.progressDeadlineSeconds === undefined || findCondition(draft.conditions, 'Progressing') !== undefined)
    return;
  recordProgress(draft, {
    reason: 'FoundNewReplicaSet',
    message: `Found new replica set "${current.metadata.name}"`,
    nowMs,
  });
}

/** Creates the current ReplicaSet, as large as the strategy allows. */
export async function createCurrentSet(tools: CurrentSetTools): Promise<void> {
  const { view, sets, draft, event, nowMs } = tools;
  const { old } = sets.sorted;
  const revision = nextRevision(old);
  const replicas = currentSetSize(view, totalSize(old), 0);
  const { set, isNew } = await createOrFind(tools, { revision, replicas });
  sets.add(set);
  draft.revision = String(revision);
  if (!isNew) return;
  const { name } = set.metadata;
  if (replicas > 0)
    event({ reason: 'ScalingReplicaSet', message: `Scaled up replica set ${name} from 0 to ${replicas}` });
  if (view.progressDeadlineSeconds === undefined) return;
  recordProgress(draft, { reason: 'NewReplicaSetCreated', message: `Created new replica set "${name}"`, nowMs });
}

/** Retries with another hash when a different ReplicaSet has the name; counts collisions in the status. */
async function createOrFind(
  tools: CurrentSetTools,
  plan: { readonly revision: bigint; readonly replicas: number },
): Promise<{ readonly set: ReplicaSetObject; readonly isNew: boolean }> {
  const { deployment, view, draft, replicaSets, hasher } = tools;
  for (;;) {
    const hash = hasher.hash(view.template, draft.collisionCount);
    const wanted = newReplicaSet(deployment, { hash, ...plan });
    try {
      return { set: await replicaSets.create(wanted), isNew: true };
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) return await reportFailure(error, wanted.metadata?.name ?? '', tools);
      const found = await replicaSets.fetch(`${deployment.metadata.namespace ?? ''}/${wanted.metadata?.name ?? ''}`);
      if (found === undefined) throw error;
      if (isControlledBy(found, deployment) && isSameTemplate(found.spec?.template, view.template))
        return { set: found, isNew: false };
      draft.collisionCount = (draft.collisionCount ?? 0) + 1;
      await draft.writeEarly();
    }
  }
}

async function reportFailure(error: unknown, name: string, tools: CurrentSetTools): Promise<never> {
  if (isNamespaceTerminating(error)) throw error;
  const { view, draft, event, nowMs } = tools;
  const reason = 'ReplicaSetCreateError';
  const message = `Failed to create new replica set "${name}": ${error instanceof Error ? error.message : String(error)}`;
  event({ type: 'Warning', reason, message });
  if (view.progressDeadlineSeconds !== undefined) {
    const condition = newCondition({ type: 'Progressing', status: 'False', reason, message }, nowMs);
    draft.conditions = withCondition(draft.conditions, condition);
    await draft.writeEarly().catch(() => undefined); // the original failure is what must be reported
  }
  throw error;
}

function recordProgress(
  draft: DeploymentDraft,
  { reason, message, nowMs }: { readonly reason: string; readonly message: string; readonly nowMs: number },
): void {
  const condition = newCondition({ type: 'Progressing', status: 'True', reason, message }, nowMs);
  draft.conditions = withCondition(draft.conditions, condition);
}
