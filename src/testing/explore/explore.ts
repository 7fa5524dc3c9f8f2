import { type Clock, type Duration, messageOf, millisecondsOf, RealClock, SeededRandom } from '../../base/index.ts';
import { FieldEffects, inputOf, partOf } from './inputs/field-effects.ts';
import type { InputOptions } from './inputs/input-options.ts';
import { firstStates, type InputDefinition, InputPlans } from './inputs/input-plans.ts';
import { ignoredProblem, judge, judgeCalm } from './judge.ts';
import { type Learned, learn, openWorld } from './learn.ts';
import { type FaultGroup, singlePlans } from './make-plans.ts';
import { parsePlan, type Plan, type PlannedFault } from './plan.ts';
import { runPlan } from './plan-run.ts';
import { AppOperator } from './app-operator.ts';
import type { ExploredOperator } from './explored-operator.ts';
import { ProgramOperator } from './program/program-operator.ts';
import { operatorObjects, userObjects } from './recorded-objects.ts';
import { type ExploreReport, type Finding, findingOf, makeReport } from './report.ts';
import type { Problem } from './problem.ts';
import type { ExploredWorld, RunResult } from './run-result.ts';
import type { ProgramScenario, Scenario, ScenarioParts } from './scenario.ts';
import { shrunk } from './shrink.ts';
import { storyOf } from './story.ts';
import { type FieldDefinition, unsetFields } from './unset-fields.ts';
import { costOf, usedRights } from './usage.ts';

export interface ExploreOptions {
  /** Decides names, uids and which pairs of faults are tried; default `explore`. */
  readonly seed?: string;
  /** The most plans to run; default 1,000. */
  readonly maxPlans?: number;
  /** The most real time to spend; default 60s. */
  readonly budget?: Duration;
  /** Ends when this many findings are there; default no limit. */
  readonly maxFindings?: number;
  /** The most faults in one plan; default 1. With 2, pairs are tried when every single fault has been. */
  readonly maxFaults?: 1 | 2;
  /** The groups of faults to try; default all but `past`. */
  readonly faults?: readonly FaultGroup[];
  /** Repeats one plan, as a finding names it, instead of making plans. */
  readonly plan?: string;
  /** Runs only this part of the plans, for several processes: `{ index: 0, count: 2 }`. */
  readonly part?: { readonly index: number; readonly count: number };
  /** Called after each plan. */
  readonly onProgress?: (progress: ExploreProgress) => void;
  /** Ends the exploration; the report has what was found until then. */
  readonly signal?: AbortSignal;
}

/** How far an exploration is. */
export interface ExploreProgress {
  readonly done: number;
  readonly total: number;
  readonly findings: number;
}

const MAX_PLANS = 1000;
const BUDGET_MS = 60_000;
/** Findings beyond this are counted, and neither shrunk nor explained. */
const MAX_FINDINGS = 20;
/** Pairs of faults that do not fit the run are not tried without end. */
const MAX_FRUITLESS_PAIRS = 200;

/**
 * Looks for faults that an operator does not survive: learns from runs of the scenario without faults what it writes and
 * sees, then kills it, shows it old states, and fails its requests at each of these moments, each time in a copy of the
 * cluster, and compares where it ends.
 *
 * Example: `const { findings } = await explore({ app: () => operator(), steps: { create, change, remove } })`
 */
export async function explore<Outside = undefined>(
  scenario: Scenario<Outside> | ProgramScenario,
  options: ExploreOptions = {},
): Promise<ExploreReport> {
  if ('run' in scenario) return exploreOperator({ scenario, operator: new ProgramOperator(scenario) }, options);
  return exploreOperator({ scenario, operator: new AppOperator(scenario) }, options);
}

interface Explored<O> {
  readonly scenario: ScenarioParts<O>;
  readonly operator: ExploredOperator<O>;
}

async function exploreOperator<O>(explored: Explored<O>, options: ExploreOptions): Promise<ExploreReport> {
  const { scenario } = explored;
  if (Object.keys(scenario.steps).length === 0) throw new Error('Cannot explore: the scenario has no steps');
  const { seed = 'explore' } = options;
  const given = options.plan === undefined ? undefined : parsePlan(options.plan);
  const world = await openWorld(explored, { seed: given?.seed ?? seed });
  try {
    const other = await openWorld(explored, { seed: given?.seed ?? seed, isOther: true });
    try {
      return await new Exploration(world, other, options).run(given);
    } finally {
      await other.base.stop();
    }
  } finally {
    await world.base.stop();
  }
}

/** How often a problem came when its plan was run several times. */
interface Confirmed {
  readonly seen: number;
  readonly runs: number;
  readonly story: string;
}

/** How often a plan is run again at most before what it shows is reported. */
const MORE_RUNS = 2;

interface Found {
  readonly problem: Problem;
  readonly plan: Plan;
  readonly confirmed: Confirmed | undefined;
  others: number;
}

class Exploration<O> {
  readonly #world: ExploredWorld<O>;
  readonly #other: ExploredWorld<O>;
  readonly #options: ExploreOptions;
  readonly #clock: Clock = new RealClock();
  readonly #startMs: number;
  readonly #steps: readonly string[];
  readonly #seed: string;
  readonly #learned = new Map<string, Promise<Learned | undefined>>();
  readonly #found = new Map<string, Found>();
  readonly #effects = new FieldEffects();
  #definitions: readonly (FieldDefinition & InputDefinition)[] = [];
  #done = 0;
  #skipped = 0;
  #unconfirmed = 0;

  constructor(world: ExploredWorld<O>, other: ExploredWorld<O>, options: ExploreOptions) {
    this.#world = world;
    this.#other = other;
    this.#options = options;
    this.#startMs = this.#clock.monotonic();
    this.#steps = Object.keys(world.scenario.steps);
    this.#seed = options.seed ?? 'explore';
  }

  async run(given: Plan | undefined): Promise<ExploreReport> {
    const { customresourcedefinitions } = this.#world.base.client.apiextensions.v1;
    this.#definitions = (await customresourcedefinitions.list()).items;
    const learned = await learn(this.#world, this.#other, {
      seed: given?.seed ?? this.#seed,
      steps: given?.steps ?? this.#steps,
    });
    this.#learned.set((given?.steps ?? this.#steps).join('\n'), Promise.resolve(learned));
    for (const problem of [...judgeCalm(learned.run, learned.calm), ...this.#calmProblems(learned)])
      this.#note(problem, { seed: this.#seed, faults: [] });
    const isWhole = this.#steps.every((step) => learned.run.states.has(step)) || given !== undefined;
    const run = given === undefined ? () => this.#all(learned) : () => this.#one(given, learned);
    const left = isWhole ? await run() : 0; // without a run to compare with, there is nothing to look for
    const findings = await this.#findings(given !== undefined);
    const { journal } = learned.run;
    const data = {
      scenario: this.#name,
      findings,
      plans: this.#done,
      skipped: this.#skipped,
      unconfirmed: this.#unconfirmed,
      left,
      durationMs: this.#clock.monotonic() - this.#startMs,
      isDeterministic: learned.isDeterministic,
      rights: usedRights(journal),
      cost: costOf(journal),
      unsetFields: unsetFields(this.#definitions, learned.run.states.values()),
    };
    return makeReport(data, { repeat: (plan) => this.#world.operator.repeatWords(plan) });
  }

  get #name(): string {
    const { scenario, operator } = this.#world;
    return scenario.name ?? operator.name;
  }

  /** Runs all plans, as far as the budget reaches; returns how many are left. */
  async #all(learned: Learned): Promise<number> {
    const { maxPlans = MAX_PLANS, part = { index: 0, count: 1 }, maxFaults = 1, faults } = this.#options;
    const groups = faults === undefined ? {} : { groups: faults };
    const inputs = this.#inputPlans(learned);
    const singles = singlePlans(learned, {
      seed: this.#seed,
      steps: this.#steps,
      hasFormer: this.#world.operator.hasFormer,
      inputs: inputs.plans,
      ...groups,
    });
    const own = partOf(singles, part);
    this.#effects.expect(own);
    let begun = 0;
    const work = async (): Promise<void> => {
      for (let plan = own[begun]; plan !== undefined && begun < maxPlans && !this.#isOver; plan = own[begun]) {
        begun += 1;
        await this.#try(plan, learned, own.length);
      }
    };
    await Promise.all(Array.from({ length: this.#world.operator.parallel }, work));
    const left = own.length - begun;
    await this.#findIgnored(inputs, learned);
    if (maxFaults === 2) await this.#pairs(singles, learned);
    return left;
  }

  #inputPlans({ run }: Learned): InputPlans {
    const { inputs = false } = this.#world.scenario;
    const own = operatorObjects(run);
    const objects = inputs === false ? [] : firstStates(run.states, (state) => userObjects(state, own));
    return new InputPlans({ definitions: this.#definitions, objects, options: this.#inputOptions, seed: this.#seed });
  }

  get #inputOptions(): InputOptions {
    const { inputs } = this.#world.scenario;
    return typeof inputs === 'object' ? inputs : {};
  }

  /** Fields that do nothing where the scenario's objects are as they are, and neither where other fields differ. */
  async #findIgnored(inputs: InputPlans, learned: Learned): Promise<void> {
    const more = this.#effects.ignored(this.#inputOptions).flatMap((plan) => {
      const fault = inputOf(plan);
      const faults = fault === undefined ? [] : inputs.inOtherSurroundings(fault);
      return faults.map((each): Plan => ({ seed: this.#seed, faults: [each] }));
    });
    this.#effects.expect(more);
    for (const plan of more) if (!this.#isOver) await this.#try(plan, learned, this.#done + more.length);
    for (const plan of this.#effects.ignored(this.#inputOptions)) {
      const problem = ignoredProblem(plan);
      if (problem !== undefined) await this.#meet([problem], plan, learned);
    }
  }

  async #pairs(singles: readonly Plan[], learned: Learned): Promise<void> {
    const { maxPlans = MAX_PLANS, part } = this.#options;
    const random = new SeededRandom(`${this.#seed} pairs ${part?.index ?? 0}`);
    const seen = new Set<string>();
    const pick = (): PlannedFault | undefined => singles[random.int(singles.length)]?.faults[0];
    for (let fruitless = 0; fruitless < MAX_FRUITLESS_PAIRS && this.#done < maxPlans && !this.#isOver;) {
      const [one, other] = [pick(), pick()];
      const pair = one === undefined || other === undefined || one === other ? [] : [one, other];
      const text = JSON.stringify(pair);
      fruitless += 1;
      if (pair.length === 0 || seen.has(text) || !fitTogether(pair)) continue;
      seen.add(text);
      if (await this.#try({ seed: this.#seed, faults: pair }, learned, maxPlans)) fruitless = 0;
    }
  }

  async #one(plan: Plan, learned: Learned): Promise<number> {
    if (plan.faults.length === 0) return 0;
    this.#effects.expect([plan]);
    await this.#try(plan, learned, 1);
    for (const each of this.#effects.ignored({})) {
      const problem = ignoredProblem(each);
      if (problem !== undefined) await this.#meet([problem], each, learned);
    }
    return 0;
  }

  get #isOver(): boolean {
    const { budget = BUDGET_MS, maxFindings = Infinity, signal } = this.#options;
    if (this.#found.size >= maxFindings) return true;
    return signal?.aborted === true || this.#clock.monotonic() - this.#startMs >= millisecondsOf(budget);
  }

  async #try(plan: Plan, whole: Learned, total: number): Promise<boolean> {
    const learned = plan.steps === undefined ? whole : await this.#learnedOf(plan.steps);
    this.#done += 1;
    const result = learned === undefined ? undefined : await runPlan(this.#world, plan, { expected: learned.expected });
    this.#effects.note(plan, result);
    if (learned !== undefined && result?.isApplicable === true) {
      // whether a field is ignored is only known when all of its values were tried
      await this.#meet(
        this.#problems(result, plan, learned).filter(({ oracle }) => oracle !== 'ignored'),
        plan,
        learned,
      );
    } else this.#skipped += 1;
    this.#options.onProgress?.({ done: this.#done, total, findings: this.#found.size });
    return result?.isApplicable === true;
  }

  /** The problems that the run without faults does not have. */
  #problems(result: RunResult, plan: Plan, learned: Learned): readonly Problem[] {
    const calm = new Set(judgeCalm(learned.run, learned.calm).map(({ oracle, subject }) => `${oracle} ${subject}`));
    return judge(result, plan, learned).filter(({ oracle, subject }) => !calm.has(`${oracle} ${subject}`));
  }

  /**
   * Takes the first problem for a finding. If the operator may go another way each time, the first that comes again: on a busy machine one
   * run may show another problem than the next.
   */
  async #meet(problems: readonly Problem[], plan: Plan, learned: Learned): Promise<void> {
    const [first] = problems;
    if (first === undefined) return;
    if (!this.#world.operator.isInRealTime || this.#found.has(keyOf(first, plan))) return this.#note(first, plan);
    const counts = new Map(problems.map((each) => [keyOf(each, plan), 1]));
    for (let runs = 2; runs <= 1 + MORE_RUNS; runs++) {
      const result = await runPlan(this.#world, plan, { expected: learned.expected });
      const shown = result.isApplicable ? this.#problems(result, plan, learned) : [];
      for (const each of shown) counts.set(keyOf(each, plan), (counts.get(keyOf(each, plan)) ?? 0) + 1);
      const again = shown.find((each) => (counts.get(keyOf(each, plan)) ?? 0) > 1);
      if (again === undefined) continue;
      return this.#note(again, plan, { seen: 2, runs, story: storyOf(result.journal) });
    }
    this.#unconfirmed += 1;
  }

  /** The same problem by the same kinds of faults is one finding. */
  #note(problem: Problem, plan: Plan, confirmed?: Confirmed): void {
    const key = keyOf(problem, plan);
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, { problem, plan, confirmed, others: 0 });
    else known.others += 1;
  }

  async #findings(isReplay: boolean): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    for (const { problem, plan, others, confirmed } of [...this.#found.values()].slice(0, MAX_FINDINGS)) {
      const parts = {
        world: this.#world,
        steps: this.#steps,
        learnedOf: (steps: readonly string[]) => this.#learnedOf(steps),
      };
      const isTooLate = this.#world.operator.isInRealTime && this.#isOver; // runs in real time take some seconds each
      const isSmall = isReplay || plan.faults.length === 0 || isTooLate;
      const smallest = isSmall ? plan : await shrunk(plan, problem, parts);
      const explained = await this.#explained(smallest, confirmed);
      const runs = confirmed === undefined ? {} : { confirmed: { seen: confirmed.seen, runs: confirmed.runs } };
      findings.push({ ...findingOf(problem, smallest), ...runs, others, ...explained });
    }
    return findings;
  }

  #learnedOf(steps: readonly string[]): Promise<Learned | undefined> {
    const key = steps.join('\n');
    const learning =
      this.#learned.get(key) ?? learn(this.#world, this.#other, { seed: this.#seed, steps }).catch(() => undefined);
    this.#learned.set(key, learning); // steps that need each other fail without the others
    return learning;
  }

  /** Runs a plan once more in a cluster that records causes and effects, if these show what the operator does. */
  async #explained(plan: Plan, confirmed?: Confirmed): Promise<Pick<Finding, 'story' | 'trace' | 'svg'>> {
    if (!this.#world.operator.isTraced && confirmed !== undefined && plan.steps === undefined)
      return { story: confirmed.story, trace: '', svg: '' };
    const learned = await this.#learnedOf(plan.steps ?? this.#steps);
    const traced = await openWorld(this.#world, { seed: plan.seed, trace: true });
    try {
      let picture = { trace: '', svg: '' };
      const onEnd = (text: string, svg: string): void => void (picture = { trace: text, svg });
      const result = await runPlan(traced, plan, {
        ...(learned === undefined ? {} : { expected: learned.expected }),
        onEnd,
      });
      return { story: storyOf(result.journal), ...picture };
    } catch (error) {
      return { story: `cannot tell: ${messageOf(error)}`, trace: '', svg: '' };
    } finally {
      await traced.base.stop();
    }
  }

  /** What is wrong without any fault: rights, and objects that are left when users have deleted all that they made. */
  #calmProblems({ run }: Learned): readonly Problem[] {
    const { scenario, operator } = this.#world;
    return [...operator.rightsProblems(run.journal), ...leftovers(run, this.#steps, scenario)];
  }
}

function keyOf({ oracle, subject }: Problem, { faults }: Plan): string {
  return JSON.stringify([oracle, subject, faults.map(({ type }) => type).sort()]);
}

/** Kinds that are meant to outlive what they were made for. */
const KEPT = new Set(['PersistentVolumeClaim', 'PersistentVolume', 'CustomResourceDefinition', 'Namespace']);

function leftovers<O>(run: RunResult, steps: readonly string[], { leaves = [] }: ScenarioParts<O>): readonly Problem[] {
  const own = operatorObjects(run).filter(({ step }) => step >= 0); // what is there before the first step is made for no object
  const last = run.states.get(steps.at(-1) ?? '');
  const made = new Set([...run.states.values()].flatMap((state) => userObjects(state, own)));
  if (last === undefined || made.size === 0) return [];
  const there = new Set(last.objects.map(({ id }) => id));
  const isThere = (name: string): boolean => there.has(name.slice(name.indexOf(' ') + 1));
  if (
    [...made].some(
      (name) => !/^(v1 (ConfigMap|Secret|Namespace|ServiceAccount)|storage|rbac)/.test(name) && isThere(name),
    )
  )
    return [];
  const left = own.filter(
    ({ name, kind, step }) => step >= 0 && isThere(name) && !KEPT.has(kind) && !leaves.includes(kind), // at its start it installs itself
  );
  return left.map(({ name }) => ({
    oracle: 'left behind',
    message: `${name} stays when everything that users have created is deleted`,
    subject: name,
  }));
}

/** Whether two faults can happen in one run. */
function fitTogether([one, other]: readonly PlannedFault[]): boolean {
  if (one === undefined || other === undefined) return false;
  const exclusive = ['upgrade', 'foreign', 'takeover', 'early', 'replaced', 'input'];
  return !exclusive.includes(one.type) && !exclusive.includes(other.type);
}
