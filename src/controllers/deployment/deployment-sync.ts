import type { Deployment as DeploymentObject } from '../../api/types/apps/v1.d.ts';
import { Deployment, type Observed, Pod, ReplicaSet } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import type { TemplateHasher } from '../pod-template-hash/index.ts';
import { isFinished } from '../../api/meaning/index.ts';
import { setsToCleanUp } from './cleanup.ts';
import { createCurrentSet, type CurrentSetTools, refreshCurrentSet } from './current-set.ts';
import { DeploymentDraft } from './deployment-draft.ts';
import { DeploymentSets } from './deployment-sets.ts';
import { countPods, isComplete, toStatus, withAvailability } from './deployment-status.ts';
import { viewDeployment } from './deployment-view.ts';
import { progressCheckInMs, withPause, withProgress, withReplicaFailure } from './progress.ts';
import { activeSets, type ReplicaSetObject, sizeOf, totalOf, totalSize } from './replica-sets.ts';
import { planRollback, rollbackRevision } from './rollback.ts';
import { currentSetSize, shrinkOldSets } from './rolling-plan.ts';
import { isScalingEvent, planScaling } from './scaling-plan.ts';

/** One run for one Deployment: at most one rollout step, then the status. */
export class DeploymentSync {
  readonly #context: ReconcileContext;
  readonly #tools: CurrentSetTools;

  constructor(
    deployment: Observed<DeploymentObject>,
    claimed: readonly ReplicaSetObject[],
    { context, hasher }: { readonly context: ReconcileContext; readonly hasher: TemplateHasher },
  ) {
    const view = viewDeployment(deployment);
    const replicaSets = context.objects(ReplicaSet);
    const event = context.event.bind(context);
    const sets = new DeploymentSets(claimed, view, { replicaSets, event });
    const draft = new DeploymentDraft(deployment, context.objects(Deployment));
    this.#context = context;
    this.#tools = { deployment, view, sets, draft, replicaSets, hasher, event, nowMs: context.clock.now() };
  }

  async run(): Promise<void> {
    const { deployment, view, sets, draft, nowMs } = this.#tools;
    if (deployment.metadata.deletionTimestamp !== undefined) return this.#updateStatus();
    draft.conditions = withPause(draft.conditions, view, nowMs);
    const revision = rollbackRevision(deployment);
    if (revision !== undefined && !view.isPaused) return this.#rollBack(revision);
    await refreshCurrentSet(this.#tools);
    if (view.isPaused) return this.#scale();
    if (isScalingEvent(view, sets.sorted)) return this.#scale();
    switch (view.strategy) {
      case 'Recreate':
        return this.#recreate();
      case 'RollingUpdate':
        return this.#roll();
      default:
        throw new Error(`unexpected deployment strategy type: ${view.strategy}`);
    }
  }

  async #scale(): Promise<void> {
    const { view, sets, deployment } = this.#tools;
    const { resizes, isForced } = planScaling(view, sets.sorted);
    await sets.resize(resizes, { isForced });
    if (view.isPaused && rollbackRevision(deployment) === undefined) {
      await sets.remove(setsToCleanUp(view, sets.sorted.old));
    }
    await this.#updateStatus();
  }

  async #roll(): Promise<void> {
    const { view, sets } = this.#tools;
    if (sets.sorted.current === undefined) await createCurrentSet(this.#tools);
    const { current, old } = sets.sorted;
    if (current === undefined)
      throw new Error('Cannot roll out: the server has changed the template of the new ReplicaSet');
    const replicas = currentSetSize(view, totalSize(sets.all), sizeOf(current));
    if (await sets.resize([{ set: current, replicas }], { isForced: false })) return this.#updateProgress();
    if (await sets.resize(shrinkOldSets(view, current, old), { isForced: false })) return this.#updateProgress();
    await this.#finishRollout();
  }

  /** Deletes all old pods before creating new ones. */
  async #recreate(): Promise<void> {
    const { view, sets } = this.#tools;
    const stops = activeSets(sets.sorted.old).map((set) => ({ set, replicas: 0 }));
    if (await sets.resize(stops, { isForced: false })) return this.#updateProgress();
    if (this.#areOldPodsRunning()) return this.#updateProgress();
    if (sets.sorted.current === undefined) await createCurrentSet(this.#tools);
    const { current } = sets.sorted;
    if (current !== undefined) await sets.resize([{ set: current, replicas: view.replicas }], { isForced: false });
    await this.#finishRollout();
  }

  #areOldPodsRunning(): boolean {
    const { old } = this.#tools.sets.sorted;
    if (totalOf(old, 'replicas') > 0) return true;
    const pods = this.#context.objects(Pod);
    return old.some(({ metadata }) => pods.list({ controlledBy: metadata.uid }).some((pod) => !isFinished(pod)));
  }

  async #rollBack(revision: bigint): Promise<void> {
    const { deployment, sets, event } = this.#tools;
    await refreshCurrentSet(this.#tools);
    if (sets.sorted.current === undefined) await createCurrentSet(this.#tools);
    const rollback = planRollback(deployment, revision, sets.all);
    await this.#context.objects(Deployment).update(rollback.deployment);
    event(rollback.event);
  }

  async #finishRollout(): Promise<void> {
    const { view, sets } = this.#tools;
    if (isComplete(view, countPods(view, sets.sorted))) await sets.remove(setsToCleanUp(view, sets.sorted.old));
    await this.#updateProgress();
  }

  /** Updates the status except the Progressing condition: for scaling, pausing and deletion. */
  async #updateStatus(): Promise<void> {
    const { view, sets, draft, nowMs } = this.#tools;
    const counts = countPods(view, sets.sorted);
    const { availableReplicas } = counts;
    draft.conditions = withAvailability(draft.conditions, view, { availableReplicas, nowMs });
    await draft.write(toStatus(counts, draft));
  }

  async #updateProgress(): Promise<void> {
    const { view, sets, draft, nowMs } = this.#tools;
    const { sorted } = sets;
    const counts = countPods(view, sorted);
    const input = { deployment: view, sets: sorted, counts, nowMs };
    const { availableReplicas } = counts;
    const available = withAvailability(draft.conditions, view, { availableReplicas, nowMs });
    draft.conditions = withReplicaFailure(withProgress(available, input), sorted);
    await draft.write(toStatus(counts, draft));
    const checkInMs = progressCheckInMs(draft.conditions, input);
    if (checkInMs !== undefined) this.#context.after(checkInMs);
  }
}
