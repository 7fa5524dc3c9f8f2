import { SeededRandom, type VirtualClock } from '../base/index.ts';
import type { Transport } from '../client/index.ts';
import type { Interference } from '../cluster/index.ts';
import { RunTracker } from '../kit/index.ts';
import type { PastView } from './faults/past-view.ts';
import { faultArrivals } from './faults/fault-arrivals.ts';
import { FaultRules } from './faults/fault-rules.ts';
import { faultTransport } from './faults/fault-transport.ts';
import { interleaved } from './interleaving.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { TestIdentity } from './acting-as.ts';
import { CauseRecorder } from './trace/cause-recorder.ts';

/** What the wire needs from its cluster, which is created after the wire. */
export interface WiredCluster {
  openPast(): PastView;
  takeLease(request: ResourceRequest, holder: string): Promise<void>;
}

export interface TestWireOptions {
  readonly clock: VirtualClock;
  /** Tracks the runs of the test's apps. */
  readonly tracker: RunTracker;
  readonly seed: string;
  readonly isTraced: boolean;
  readonly isInterleaved: boolean;
}

/** The layer between the clients of a test cluster and its server: faults, the trace and the reordering of requests. */
export class TestWire {
  readonly faults: FaultRules;
  readonly recorder: CauseRecorder | undefined;
  /** Tracks the runs of the cluster's programs, if they are traced. */
  readonly tracker: RunTracker | undefined;
  readonly options: TestWireOptions;
  /** What requests meet before the faults; a fork begins without it. */
  interference: Interference | undefined;
  readonly #order: SeededRandom;
  readonly #chance: SeededRandom;
  #cluster: WiredCluster | undefined;

  constructor(options: TestWireOptions, former?: TestWire) {
    const { clock, tracker, seed, isTraced } = options;
    this.options = options;
    this.#order = former === undefined ? new SeededRandom(`${seed} order`) : former.#order.clone();
    this.#chance = former === undefined ? new SeededRandom(`${seed} faults`) : former.#chance.clone();
    this.faults = new FaultRules(this.#chance, () => this.#wired.openPast());
    this.tracker = isTraced ? new RunTracker() : undefined;
    this.recorder =
      this.tracker === undefined
        ? undefined
        : new CauseRecorder(
            clock,
            new Map([
              ['app', tracker],
              ['cluster', this.tracker],
            ]),
          );
  }

  /** The wire of a fork, which continues with the same random state. */
  fork(own: Pick<TestWireOptions, 'clock' | 'tracker'>): TestWire {
    return new TestWire({ ...this.options, ...own }, this);
  }

  connect(cluster: WiredCluster): void {
    this.#cluster = cluster;
  }

  /** Handles requests over the network. */
  get arrivals(): Interference {
    const faulty = faultArrivals({
      rules: this.faults,
      takeLease: (request, holder) => this.#wired.takeLease(request, holder),
    });
    return (call, next) => this.interference?.(call, (passed) => faulty(passed, next)) ?? faulty(call, next);
  }

  /** Wraps the transport of a client of the cluster. */
  wrap(inner: Transport, identity: TestIdentity, isOfTest = false): Transport {
    const { clock, isInterleaved } = this.options;
    const { user, groups } = identity;
    const takeLease = (request: ResourceRequest, holder: string): Promise<void> =>
      this.#wired.takeLease(request, holder);
    const faulty = faultTransport(inner, { rules: this.faults, clock, user, groups, takeLease });
    const noted = this.recorder?.wrap(faulty, { user, isOfTest }) ?? faulty;
    return isInterleaved ? interleaved(noted, this.#order) : noted;
  }

  get #wired(): WiredCluster {
    if (this.#cluster === undefined) throw new Error('Cannot add a fault: the cluster is still starting');
    return this.#cluster;
  }
}
