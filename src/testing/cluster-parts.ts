import type { Logger, SeededRandom } from '../base/index.ts';
import type { WiringParts } from './cluster-wiring.ts';
import { ObservedResources } from './observed-resources.ts';
import type { ClusterSnapshot } from './snapshot/cluster-snapshot.ts';
import type { OpenKeys } from './snapshot/open-keys.ts';
import { TestWorld } from './test-world.ts';

/** What a cluster in a test has around it. */
export interface ClusterParts extends WiringParts {
  readonly world: TestWorld;
  /** Where the time of the cluster, or of the one that it is a fork of, began. */
  readonly startMs: number;
  readonly random: SeededRandom;
  readonly log: Logger;
  readonly stop: AbortController;
  /** What the cluster is made of, for a snapshot of it. */
  readonly made: Pick<ClusterSnapshot, 'options' | 'ownCode'>;
  /** The keys of a cluster that was opened from a snapshot. */
  readonly keys: OpenKeys | undefined;
  readonly problems: readonly string[];
}

/** The same for a fork, as of now; `signal` ends it (default: the original's). */
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
    keys: undefined, // which are in memory by now
    stop: new AbortController(),
    webhooks: webhooks.fork(),
    apis: apis.fork(),
  };
}
