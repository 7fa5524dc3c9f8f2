import type { Logger, SeededRandom } from '../base/index.ts';
import type { WiringParts } from './cluster-wiring.ts';
import { ObservedResources } from './observed-resources.ts';
import type { ClusterSnapshot } from './snapshot/cluster-snapshot.ts';
import type { OpenKeys } from './snapshot/open-keys.ts';
import { TestWorld } from './test-world.ts';

/** The surroundings of a test cluster. */
export interface ClusterParts extends WiringParts {
  readonly world: TestWorld;
  /** The start time of the cluster, or of the original of a fork. */
  readonly startMs: number;
  readonly random: SeededRandom;
  readonly log: Logger;
  readonly stop: AbortController;
  /** The options of the cluster, for its snapshots. */
  readonly made: Pick<ClusterSnapshot, 'options' | 'ownCode'>;
  /** The keys of a cluster that was opened from a snapshot. */
  readonly keys: OpenKeys | undefined;
  readonly problems: readonly string[];
}

/** The parts of a fork, as of now; `signal` ends it (default: the original's). */
export function forkedParts(parts: ClusterParts, signal?: AbortSignal): ClusterParts {
  const { world, random, webhooks, apis, wire, ...shared } = parts;
  const observed = new ObservedResources(world.observed);
  const own = new TestWorld({
    startMs: world.clock.now(),
    observed,
    reconcileTimeoutMs: world.reconcileTimeoutMs,
    signal: signal ?? world.signal,
  });
  return {
    ...shared,
    world: own,
    wire: wire.fork(own),
    random: random.clone(),
    keys: undefined, // the keys are in memory by now
    stop: new AbortController(),
    webhooks: webhooks.fork(),
    apis: apis.fork(),
  };
}
