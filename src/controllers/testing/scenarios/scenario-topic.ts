import type { Kind, KubernetesObject, Observed } from '../../../client/index.ts';
import type { ScenarioWorld } from './scenario-world.ts';

/** Steps that can be gone through on any cluster, Keelson's or a real one. */
export type Scenario = (world: ScenarioWorld) => Promise<void>;

/** A kind whose objects are looked at. */
export interface SeenKind {
  readonly kind: Kind;
  /** What is noted of an object besides its metadata and status. */
  readonly pick: (object: Observed<KubernetesObject>) => unknown;
}

/** Objects of this kind are looked at: metadata, status, and what else is picked. */
export function see<T extends KubernetesObject>(
  kind: Kind<T>,
  pick: (object: Observed<T>) => unknown = () => undefined,
): SeenKind {
  return { kind, pick: (object) => pick(object as Observed<T>) };
}

/**
 * What controllers do, as scenarios that were gone through with those of kube-controller-manager too. A controller has its own
 * in `testing/scenarios.ts` of its folder, exported as `topic`; `test/vectors/controllers/record.ts` writes what the real one
 * did to `testdata/real-cluster.json`.
 */
export interface ScenarioTopic {
  /** As kube-controller-manager names them in `--controllers`. */
  readonly controllers: readonly string[];
  /** Further flags of kube-controller-manager when recording. */
  readonly flags?: readonly string[];
  readonly seen: readonly SeenKind[];
  /** What differs from run to run besides names, times and uids, and what stands for it. */
  readonly masks?: readonly (readonly [RegExp, string])[];
  /** By what they show. */
  readonly scenarios: Readonly<Record<string, Scenario>>;
}
