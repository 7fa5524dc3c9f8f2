import type { ScenarioWorld } from './scenario-world.ts';
import type { Sight } from './seen-kind.ts';

/** Steps that can be gone through on any cluster, Keelson's or a real one. */
export type Scenario = (world: ScenarioWorld) => Promise<void>;

/**
 * What controllers do, as scenarios that were gone through with those of kube-controller-manager too. A controller has its own
 * in `testing/scenarios.ts` of its folder, exported as `topic`; `test/vectors/controllers/record.ts` writes what the real one
 * did to `testdata/real-cluster.json`.
 */
export interface ScenarioTopic extends Sight {
  /** As kube-controller-manager names them in `--controllers`. */
  readonly controllers: readonly string[];
  /** Further flags of kube-controller-manager when recording. */
  readonly flags?: readonly string[];
  /** API versions that are served besides the default ones, as `--runtime-config` takes them. */
  readonly runtimeConfig?: readonly string[];
  /** What is switched on besides the defaults when recording, as `--feature-gates` takes it. */
  readonly featureGates?: string;
  /** By what they show. */
  readonly scenarios: Readonly<Record<string, Scenario>>;
}
