import type { App } from '../../kit/index.ts';
import type { TestCluster } from '../test-cluster.ts';
import type { ExploredOperator, OperatorHost, StartOptions } from './explored-operator.ts';
import type { ExploredProcess, ProcessSurroundings } from './explored-process.ts';
import type { Journal } from './journal.ts';
import { OperatorProcess } from './operator-process.ts';
import type { Problem } from './problem.ts';
import type { Scenario } from './scenario.ts';
import { undeclaredRights } from './usage.ts';
import { watchedOutside } from './watched-outside.ts';

/** Longer than any patience of a run with faults. */
const PAUSE_MS = 1_200_000;
/** Times after which the state is looked at: retries may take minutes. */
const PATIENCE_MS = [0, 2_000, 30_000, 300_000, 900_000];
/** How long nothing happens at the end of a run. Most of the cluster's own controllers first look around later. */
const IDLE_MS = 9_000;
/** Longer than a Lease is held. */
const LEASE_MS = 60_000;
/** More runs for one object than this in one step are a loop. */
const MAX_RUNS = 200;
/** The same while watches are held. */
const MAX_RUNS_HELD = 10;

type Makes<O> = Pick<Scenario<O>, 'app' | 'formerApp'>;

/** An operator that is an app of this package: it runs in this process, in virtual time. */
export class AppOperator<O> implements ExploredOperator<O> {
  readonly startAt = { own: '2026-01-01T00:00:00Z', other: '2027-03-04T05:06:07Z' };
  readonly pauseMs = PAUSE_MS;
  readonly isInRealTime = false;
  readonly parallel = 1;
  readonly isTraced = true;
  readonly #makes: Makes<O>;
  readonly #sample: App;

  constructor({ app, formerApp, outside }: Makes<O> & Pick<Scenario<O>, 'outside'>) {
    this.#makes = formerApp === undefined ? { app } : { app, formerApp };
    this.#sample = app(outside?.() as O);
  }

  get hasFormer(): boolean {
    return this.#makes.formerApp !== undefined;
  }

  get name(): string {
    return this.#sample.name;
  }

  get resources(): App['resources'] {
    return this.#sample.resources;
  }

  async open(cluster: TestCluster): Promise<OperatorHost<O>> {
    return new AppHost(cluster, this.#makes);
  }

  repeatWords(plan: string): string {
    return `explore(scenario, { plan: '${plan.replaceAll("'", "\\'")}' })`;
  }

  rightsProblems(journal: Journal): readonly Problem[] {
    return undeclaredRights(journal, this.#sample);
  }
}

class AppHost<O> implements OperatorHost<O> {
  readonly patienceMs = PATIENCE_MS;
  readonly idleMs = IDLE_MS;
  readonly leaseMs = LEASE_MS;
  readonly #cluster: TestCluster;
  readonly #makes: Makes<O>;

  constructor(cluster: TestCluster, makes: Makes<O>) {
    this.#cluster = cluster;
    this.#makes = makes;
  }

  async start(around: ProcessSurroundings, { outside, isFormer, past }: StartOptions<O>): Promise<ExploredProcess> {
    const { app, formerApp = app } = this.#makes;
    const version = isFormer ? formerApp : app;
    const make = (process: OperatorProcess): App => version(watchedOutside(outside, process));
    return new OperatorProcess(make, around, past === undefined ? {} : { past });
  }

  settle({ isHeld }: { readonly isHeld: boolean }): Promise<void> {
    return this.#cluster.settle({ maxRuns: isHeld ? MAX_RUNS_HELD : MAX_RUNS });
  }

  pass(ms: number): Promise<void> {
    return this.#cluster.clock.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // all of it ends with the cluster
  }
}
