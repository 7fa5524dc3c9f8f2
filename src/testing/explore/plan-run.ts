import { messageOf } from '../../base/index.ts';
import { insidesOf } from '../cluster-insides.ts';
import type { PastView } from '../faults/index.ts';
import type { TestCluster } from '../test-cluster.ts';
import { brokenInvariants } from './broken-invariants.ts';
import { type ClusterState, stateOf } from './cluster-state.ts';
import { STABLE } from './compare-states.ts';
import { GeneratedNames } from './generated-names.ts';
import { HeldWatches } from './held-watches.ts';
import { Journal } from './journal.ts';
import type { OperatorHost } from './explored-operator.ts';
import type { ExploredProcess, Interception } from './explored-process.ts';
import { fieldOf, type InputFault } from './inputs/input-fault.ts';
import { interceptionOf } from './interceptions.ts';
import { InputTrial } from './inputs/input-trial.ts';
import { OtherUsers } from './other-users.ts';
import { faultsOf, faultWords, type Moment, type Plan, type PlannedFault } from './plan.ts';
import type { Oracle, Problem } from './problem.ts';
import type { Expected, ExploredWorld, InputEffect, RunOptions, RunResult } from './run-result.ts';
import { stepProblems } from './step-problems.ts';

/** How often a process may end by itself. */
const MAX_EXITS = 3;
/** Runs the scenario on a fork of the world's cluster, with the faults of a plan. */
export async function runPlan<O>(world: ExploredWorld<O>, plan: Plan, options: RunOptions = {}): Promise<RunResult> {
  await using cluster = await world.base.fork();
  await using host = await world.operator.open(cluster);
  return await new PlanRun(host, { cluster, world, plan, options }).run();
}

/** The run cannot go on: a problem was found, or the plan does not fit. */
class RunEnded extends Error {}

interface PlanRunParts<O> {
  readonly cluster: TestCluster;
  readonly world: ExploredWorld<O>;
  readonly plan: Plan;
  readonly options: RunOptions;
}

class PlanRun<O> {
  readonly #host: OperatorHost<O>;
  readonly #cluster: TestCluster;
  readonly #world: ExploredWorld<O>;
  readonly #plan: Plan;
  readonly #options: RunOptions;
  readonly #steps: readonly string[];
  readonly #outside: O;
  readonly #others: OtherUsers;
  readonly #journal = new Journal();
  readonly #names = new GeneratedNames();
  readonly #held = new HeldWatches();
  readonly #problems: Problem[] = [];
  readonly #states = new Map<string, ClusterState>();
  readonly #outsideStates = new Map<string, unknown>();
  /** The faults that have happened. */
  readonly #met = new Set<PlannedFault>();
  /** Steps that have begun early, and their ends. */
  readonly #early = new Map<string, Promise<unknown>>();
  #process: ExploredProcess | undefined;
  /** A replica that has stood still while another one took the lead. */
  #former: ExploredProcess | undefined;
  #resume: (() => void) | undefined;
  #past: PastView | undefined;
  #step = -1;
  /** Whether the version before works. */
  #isFormer: boolean;
  #exits = 0;
  #isApplicable = true;
  #idleWrites = 0;
  #input: InputEffect | undefined;
  readonly #idleWritesAfter = new Map<string, number>();

  constructor(host: OperatorHost<O>, { cluster, world, plan, options }: PlanRunParts<O>) {
    this.#host = host;
    this.#cluster = cluster;
    this.#world = world;
    this.#plan = plan;
    this.#isFormer = plan.faults.some(({ type }) => type === 'upgrade');
    this.#options = options;
    const { steps, outside } = world.scenario;
    this.#steps = Object.keys(steps).filter((name) => plan.steps?.includes(name) ?? true);
    this.#outside = outside?.() as O;
    this.#others = new OtherUsers(cluster);
  }

  async run(): Promise<RunResult> {
    try {
      await this.#all();
    } catch (error) {
      if (!(error instanceof RunEnded)) throw error;
    } finally {
      const trace = this.#options.onEnd === undefined ? undefined : this.#cluster.trace();
      if (trace !== undefined) this.#options.onEnd?.(trace.text, trace.svg);
      this.#held.releaseAll();
      this.#resume?.();
      this.#process?.kill();
      this.#former?.kill();
      this.#past?.[Symbol.dispose]();
    }
    const wasTaken = this.#plan.faults.every((fault) => this.#met.has(fault));
    return {
      journal: this.#journal,
      problems: this.#problems,
      isApplicable: this.#isApplicable && wasTaken,
      states: this.#states,
      outside: this.#outsideStates,
      idleWrites: this.#idleWrites,
      idleWritesAfter: this.#idleWritesAfter,
      ...(this.#input === undefined ? {} : { input: this.#input }),
      wasTaken,
    };
  }

  async #all(): Promise<void> {
    for (const fault of this.#faults('foreign')) {
      this.#meet(fault);
      if (!(await this.#others.createForeign(fault.object, fault.body))) this.#refuse();
    }
    await this.#start();
    await this.#settle();
    for (const [index, name] of this.#steps.entries()) {
      this.#step = index;
      await this.#takeStep(name);
    }
    this.#idleWrites = await this.#idle(this.#options.idleMs ?? this.#host.idleMs);
  }

  async #takeStep(name: string): Promise<void> {
    for (const fault of this.#ofStep('down', name)) {
      this.#meet(fault);
      this.#process?.kill();
    }
    for (const fault of this.#ofStep('lag', name)) {
      this.#meet(fault);
      this.#held.hold(fault.resource, fault.after, fault.relist ? 'relist' : 'events');
    }
    if (this.#ofStep('past', name).length > 0) this.#past = insidesOf(this.#cluster).openPast();
    await this.#act(name);
    if (this.#plan.faults.length === 0) await this.#wait(name);
    await this.#recovered();
    for (const fault of this.#faults('lag')) if (fault.until === name) this.#held.release(fault.resource);
    await this.#recovered();
    await this.#check(name);
    await this.#after(name);
    if (this.#options.pauseMs === undefined) return this.#rest(name);
    this.#idleWritesAfter.set(name, await this.#idle(this.#host.idleMs));
    await this.#pass(this.#options.pauseMs);
    this.#keep(name);
  }

  /** After the step with the last fault nothing happens for a while: what the operator has learned there, it may forget later. */
  async #rest(name: string): Promise<void> {
    const isLast = this.#step === this.#steps.length - 1;
    const wasTaken = this.#plan.faults.every((fault) => this.#met.has(fault));
    const isQuiet = this.#held.isEmpty && !this.#isFormer && this.#early.size === 0;
    if (isLast || !wasTaken || !isQuiet || this.#plan.faults.length === 0) return;
    if (this.#idleWritesAfter.size > 0 || this.#options.expected?.idleWritesAfter.has(name) !== true) return;
    this.#idleWritesAfter.set(name, await this.#idle(this.#host.idleMs));
  }

  /** What users do in the step, unless it has begun early. */
  async #act(name: string): Promise<void> {
    const { steps } = this.#world.scenario;
    const mayFail = this.#process?.isAlive !== true || !this.#held.isEmpty || this.#plan.faults.length > 0;
    this.#note(`step "${name}"`);
    try {
      await (this.#early.get(name) ?? steps[name]?.(this.#cluster, this.#outside));
    } catch (error) {
      if (!mayFail)
        throw new Error(`Cannot explore: step "${name}" fails without faults: ${messageOf(error)}`, { cause: error });
      if (this.#process?.isAlive !== true || !this.#held.isEmpty || this.#early.has(name)) this.#refuse();
      this.#found('step', `step "${name}" fails: ${messageOf(error)}`, name);
    }
    await this.#settle();
  }

  async #wait(name: string): Promise<void> {
    try {
      await this.#world.scenario.waits?.[name]?.(this.#cluster, this.#outside);
    } catch (error) {
      throw new Error(`Cannot explore: step "${name}" does not end without faults: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** What happens after a step. */
  async #after(name: string): Promise<void> {
    let isTouched = false;
    for (const fault of this.#plan.faults) {
      if (!('step' in fault) || fault.step !== name || fault.type === 'down' || fault.type === 'lag') continue;
      isTouched = true;
      this.#meet(fault);
      switch (fault.type) {
        case 'upgrade':
          this.#isFormer = false;
          this.#process?.kill();
          break;
        case 'restart':
          this.#process?.kill();
          break;
        case 'past':
          await this.#startInThePast();
          break;
        case 'deleted':
          if (!(await this.#others.delete(fault.object))) this.#refuse();
          break;
        case 'changed':
          if (!(await this.#others.change(fault.object, fault.patch))) this.#refuse();
          break;
        case 'replaced':
          await this.#replace(fault.object);
          break;
        case 'input':
          await this.#tryInput(fault, name);
          break;
        case 'wait':
          await this.#pass(fault.ms);
          break;
      }
    }
    if (!isTouched) return;
    await this.#recovered();
    await this.#check(name);
  }

  async #startInThePast(): Promise<void> {
    const past = this.#past;
    this.#past = undefined;
    this.#process?.kill();
    this.#held.hold('*', 0, 'events');
    await this.#start(past);
    await this.#settle();
    this.#process?.catchUp();
    this.#held.release('*');
  }

  async #replace(object: string): Promise<void> {
    this.#held.hold('*', 0, 'events');
    const isNew = await this.#others.makeAgain(object);
    await this.#settle();
    this.#held.release('*');
    if (!isNew) this.#refuse();
  }

  async #tryInput(fault: InputFault, step: string): Promise<void> {
    const { expected } = this.#options;
    const { outsideState } = this.#world.scenario;
    const trial = new InputTrial(fault, {
      users: this.#others,
      journal: this.#journal,
      volatility: expected?.volatility.get(step) ?? STABLE,
      patienceMs: this.#host.patienceMs,
      state: () => stateOf(this.#cluster, this.#world.start),
      outside: () => outsideState?.(this.#outside),
      recover: () => this.#recovered(),
      pass: (ms) => this.#pass(ms),
      failure: () => this.#process?.lastFailure,
    });
    const { isTaken, problems, hasEffect } = await trial.run();
    if (!isTaken) return this.#refuse();
    this.#input = { field: fieldOf(fault), hasEffect };
    this.#problems.push(...problems);
    if (problems.length > 0 || fault.end === 'new') throw new RunEnded();
  }

  async #start(past?: PastView): Promise<void> {
    const around = {
      cluster: this.#cluster,
      journal: this.#journal,
      names: this.#names,
      held: this.#held,
      step: () => this.#step,
      intercept: (moment: Moment) => this.#intercept(moment),
    };
    const outside = this.#outside;
    this.#process = await this.#host.start(around, {
      outside,
      isFormer: this.#isFormer,
      ...(past === undefined ? {} : { past }),
    });
    if (this.#step >= 0) this.#note('the process starts again');
  }

  #intercept({ request, nth }: Moment): Interception | undefined {
    const fault = this.#plan.faults.find(
      (each) => 'at' in each && each.at.request === request && each.at.nth === nth && !this.#met.has(each),
    );
    if (fault === undefined) return undefined;
    const next = this.#steps[this.#step + 1];
    const met = interceptionOf(fault, {
      ...(next === undefined ? {} : { begin: () => this.#begin(next) }),
      pause: () => new Promise<void>((resolve) => (this.#resume = resolve)),
    });
    if (met !== undefined) this.#meet(fault);
    return met;
  }

  /** Begins a step before its turn. */
  async #begin(name: string): Promise<void> {
    this.#note(`step "${name}" begins`);
    const acting = Promise.resolve(this.#world.scenario.steps[name]?.(this.#cluster, this.#outside));
    this.#early.set(name, acting);
    await acting.catch(() => undefined); // the step itself reports it
  }

  /** Settles, and starts the process again when it was killed or has ended. */
  async #recovered(): Promise<void> {
    await this.#settle();
    if (this.#resume !== undefined) await this.#takeOver();
    while (this.#process?.isAlive !== true) {
      if (this.#process?.failure !== undefined) this.#countExit(this.#process.failure);
      await this.#start();
      await this.#settle();
    }
  }

  #countExit(failure: unknown): void {
    this.#exits += 1;
    this.#note(`the process ends by itself: ${messageOf(failure)}`);
    if (this.#exits > MAX_EXITS) this.#found('exits', `the process ends again and again: ${messageOf(failure)}`, '');
  }

  /** Another replica leads while the first one stands still in the middle of a request; then the first one goes on. */
  async #takeOver(): Promise<void> {
    const former = this.#process;
    this.#former = former;
    former?.detach();
    await this.#start();
    await this.#pass(this.#host.leaseMs);
    await this.#settle();
    this.#resume?.();
    this.#resume = undefined;
    await this.#settle();
    former?.kill();
    await this.#settle();
  }

  async #pass(ms: number): Promise<void> {
    if (ms === 0) return;
    try {
      await this.#host.pass(ms);
    } catch (error) {
      this.#found('busy', `time cannot pass: ${messageOf(error)}`, 'time');
    }
    await this.#settle();
  }

  async #settle(): Promise<void> {
    try {
      if (!this.#held.isEmpty) await this.#settleHeld();
      await this.#host.settle({ isHeld: false });
    } catch (error) {
      this.#found('busy', `it does not come to rest: ${messageOf(error)}`, 'loop');
    }
    if (this.#journal.isFull) this.#found('busy', 'it does not come to rest: it sends requests without end', 'loop');
  }

  /** A lag ends when it leads to a fight with another controller, which would last as long as the lag. */
  async #settleHeld(): Promise<void> {
    try {
      await this.#host.settle({ isHeld: true });
    } catch {
      this.#note('the watches go on');
      this.#held.releaseAll();
    }
  }

  /** Compares the state after a step with that of the run without faults, as soon as it is the same or patience ends. */
  async #check(name: string): Promise<void> {
    const { expected } = this.#options;
    if (this.#isFormer) return;
    if (!this.#held.isEmpty || this.#early.size > 0) {
      if (this.#early.has(name)) this.#early.clear();
      else return;
    }
    const isForeign = this.#faults('foreign').length > 0;
    if (expected === undefined || isForeign) {
      if (expected === undefined) this.#problems.push(...(await this.#broken(name)));
      this.#keep(name);
      return;
    }
    let problems: readonly Problem[] = [];
    let waitedMs = 0;
    for (const untilMs of this.#host.patienceMs) {
      await this.#pass(untilMs - waitedMs);
      waitedMs = untilMs;
      if (this.#process?.isAlive !== true) await this.#recovered();
      problems = [...this.#differences(name, expected), ...(await this.#broken(name))];
      if (problems.length === 0) break;
    }
    this.#keep(name);
    this.#problems.push(...problems);
    if (problems.length > 0) throw new RunEnded();
  }

  #keep(name: string): void {
    const { outsideState } = this.#world.scenario;
    this.#states.set(name, stateOf(this.#cluster, this.#world.start));
    this.#outsideStates.set(name, outsideState?.(this.#outside));
  }

  #differences(name: string, expected: Expected): readonly Problem[] {
    const { outsideState } = this.#world.scenario;
    return stepProblems(name, expected, {
      state: stateOf(this.#cluster, this.#world.start),
      ...(outsideState === undefined ? {} : { outside: outsideState(this.#outside) }),
    });
  }

  #broken(step: string): Promise<readonly Problem[]> {
    const { invariants = {} } = this.#world.scenario;
    return brokenInvariants(step, (name) => invariants[name]?.(this.#cluster, this.#outside), Object.keys(invariants));
  }

  /** Lets time pass in which nothing happens, and counts what the operator writes meanwhile. */
  async #idle(ms: number): Promise<number> {
    const before = this.#journal.writes.length;
    await this.#pass(ms);
    return this.#journal.writes.length - before;
  }

  #meet(fault: PlannedFault): void {
    this.#met.add(fault);
    this.#note(faultWords(fault), true);
  }

  #note(text: string, isFault = false): void {
    this.#journal.add({ type: 'note', step: this.#step, atMs: this.#cluster.clock.monotonic(), text, isFault });
  }

  #faults<T extends PlannedFault['type']>(type: T) {
    return faultsOf(this.#plan, type);
  }

  #ofStep<T extends 'down' | 'lag' | 'past'>(type: T, step: string) {
    return this.#faults(type).filter((fault) => (fault as { readonly step: string }).step === step);
  }

  #found(oracle: Oracle, message: string, subject: string): never {
    this.#problems.push({ oracle, message, subject });
    throw new RunEnded();
  }

  /** The plan does not fit what happens. */
  #refuse(): never {
    this.#isApplicable = false;
    throw new RunEnded();
  }
}
