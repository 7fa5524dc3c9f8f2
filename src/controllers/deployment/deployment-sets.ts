import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import { keyOf, mergePatch } from '../../client/index.ts';
import type { EventDetails, Objects } from '../../kit/index.ts';
import { sizeAnnotations } from './annotations.ts';
import type { DeploymentView } from './deployment-view.ts';
import { type ReplicaSetObject, type SetsOfDeployment, sizeOf, sortSets } from './replica-sets.ts';
import type { Resize } from './rolling-plan.ts';

/** The ReplicaSets of one Deployment during one run, always as last written. */
export class DeploymentSets {
  readonly #deployment: DeploymentView;
  readonly #replicaSets: Objects<ReplicaSet>;
  readonly #event: (details: EventDetails) => void;
  readonly #byUid: Map<string, ReplicaSetObject>;

  constructor(
    sets: readonly ReplicaSetObject[],
    deployment: DeploymentView,
    tools: { readonly replicaSets: Objects<ReplicaSet>; readonly event: (details: EventDetails) => void },
  ) {
    this.#byUid = new Map(sets.map((set) => [set.metadata.uid, set]));
    this.#deployment = deployment;
    this.#replicaSets = tools.replicaSets;
    this.#event = tools.event;
  }

  get all(): readonly ReplicaSetObject[] {
    return [...this.#byUid.values()];
  }

  get sorted(): SetsOfDeployment {
    return sortSets(this.all, this.#deployment.template);
  }

  add(set: ReplicaSetObject): void {
    this.#byUid.set(set.metadata.uid, set);
  }

  /** Patches only the given members, because other clients may write the rest. */
  async change(set: ReplicaSetObject, changes: object & { readonly metadata?: object }): Promise<void> {
    const metadata = { uid: set.metadata.uid, ...changes.metadata };
    this.add(await this.#replicaSets.patch(keyOf(set), mergePatch({ ...changes, metadata })));
  }

  /**
   * Resizes ReplicaSets and records events; returns whether any changed. Without `isForced`, ReplicaSets that keep
   * their size are not written, even if their size annotations are outdated.
   */
  async resize(steps: readonly Resize[], { isForced }: { readonly isForced: boolean }): Promise<boolean> {
    let isChanged = false;
    for (const { set, replicas } of steps) {
      const latest = this.#byUid.get(set.metadata.uid) ?? set;
      const before = sizeOf(latest);
      const annotations = sizeAnnotations(this.#deployment);
      const isSame = before === replicas;
      const isUpToDate = Object.entries(annotations).every(
        ([name, value]) => latest.metadata.annotations?.[name] === value,
      );
      if (isSame && (!isForced || isUpToDate)) continue;
      await this.change(latest, { metadata: { annotations }, ...(isSame ? {} : { spec: { replicas } }) });
      if (isSame) continue;
      isChanged = true;
      const direction = before < replicas ? 'up' : 'down';
      const message = `Scaled ${direction} replica set ${latest.metadata.name} from ${before} to ${replicas}`;
      this.#event({ reason: 'ScalingReplicaSet', message });
    }
    return isChanged;
  }

  async remove(sets: readonly ReplicaSetObject[]): Promise<void> {
    for (const set of sets) {
      await this.#replicaSets.delete(keyOf(set), { preconditions: { uid: set.metadata.uid } });
    }
  }
}
