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

/** What the wire needs of the cluster that it belongs to, which is there a little later than itself. */
export interface WiredCluster {
  openPast(): PastView;
  takeLease(request: ResourceRequest, holder: string): Promise<void>;
}

export interface TestWireOptions {
  readonly clock: VirtualClock;
  /** Of the runs of the test's apps. */
  readonly tracker: RunTracker;
  readonly seed: string;
  readonly isTraced: boolean;
  readonly isInterleaved: boolean;
}

/** What is between the clients of a cluster in a test and its server: faults, the trace, and chance that lets requests overtake each other. */
export class TestWire {
  readonly faults: FaultRules;
  readonly recorder: CauseRecorder | undefined;
  /** Of the runs of the cluster's own programs, where they are traced. */
  readonly tracker: RunTracker | undefined;
  readonly options: TestWireOptions;
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

  /** The same for a fork, in which chance goes on as it would here. */
  fork(own: Pick<TestWireOptions, 'clock' | 'tracker'>): TestWire {
    return new TestWire({ ...this.options, ...own }, this);
  }

  connect(cluster: WiredCluster): void {
    this.#cluster = cluster;
  }

  /** What becomes of requests that come over the network. */
  get arrivals(): Interference {
    return faultArrivals({
      rules: this.faults,
      takeLease: (request, holder) => this.#wired.takeLease(request, holder),
    });
  }

  /** What a client of the cluster sends through. */
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
    if (this.#cluster === undefined) throw new Error('Cannot make a fault: the cluster is still being started');
    return this.#cluster;
  }
}
