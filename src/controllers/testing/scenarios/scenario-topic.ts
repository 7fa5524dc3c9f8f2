import type { ScenarioWorld } from './scenario-world.ts';
import type { Sight } from './seen-kind.ts';

/** Steps that can run on any cluster, Keelson's or a real one. */
export type Scenario = (world: ScenarioWorld) => Promise<void>;

/**
 * Scenarios that were also recorded with kube-controller-manager. A controller has its own in `testing/scenarios.ts` of
 * its folder, exported as `topic`; `test/vectors/controllers/record.ts` writes the recording to
 * `testdata/real-cluster.json`.
 */
export interface ScenarioTopic extends Sight {
  /** Their names in `--controllers`. */
  readonly controllers: readonly string[];
  /** Further flags of kube-controller-manager for recording. */
  readonly flags?: readonly string[];
  /** API versions to serve besides the default ones, as in `--runtime-config`. */
  readonly runtimeConfig?: readonly string[];
  /** Feature gates for recording, as in `--feature-gates`. */
  readonly featureGates?: string;
  /** By name. */
  readonly scenarios: Readonly<Record<string, Scenario>>;
}
