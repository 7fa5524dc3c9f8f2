import { inputOf } from './inputs/field-effects.ts';
import type { Learned } from './learn.ts';
import { judge } from './judge.ts';
import type { Plan } from './plan.ts';
import { runPlan } from './plan-run.ts';
import type { Problem } from './problem.ts';
import type { ExploredWorld } from './run-result.ts';

export interface ShrinkParts<O> {
  readonly world: ExploredWorld<O>;
  /** What is known of the scenario with some of its steps. */
  readonly learnedOf: (steps: readonly string[]) => Promise<Learned | undefined>;
  readonly steps: readonly string[];
}

/** The smallest plan that still leads to the problem: without faults, and without steps, that it does not need. */
export async function shrunk<O>(plan: Plan, problem: Problem, parts: ShrinkParts<O>): Promise<Plan> {
  let smallest = plan;
  for (const fault of plan.faults) {
    if (smallest.faults.length === 1) break;
    const fewer = { ...smallest, faults: smallest.faults.filter((each) => each !== fault) };
    if (await leadsTo(fewer, problem, parts)) smallest = fewer;
  }
  smallest = await withFewerChanges(smallest, problem, parts);
  for (const step of [...(smallest.steps ?? parts.steps)].reverse()) {
    const left = (smallest.steps ?? parts.steps).filter((each) => each !== step);
    if (left.length === 0 || smallest.faults.some((fault) => 'step' in fault && fault.step === step)) continue;
    const fewer = { ...smallest, steps: left };
    if (await leadsTo(fewer, problem, parts)) smallest = fewer;
  }
  return smallest;
}

/** A sequence of changes by users without those that are not needed. */
async function withFewerChanges<O>(plan: Plan, problem: Problem, parts: ShrinkParts<O>): Promise<Plan> {
  let smallest = plan;
  for (let at = 0; ;) {
    const fault = inputOf(smallest);
    if (fault === undefined || fault.changes.length < 2 || at >= fault.changes.length) return smallest;
    const changes = fault.changes.filter((_, index) => index !== at);
    const fewer: Plan = { ...smallest, faults: [{ ...fault, changes }] };
    if (await leadsTo(fewer, problem, parts)) smallest = fewer;
    else at += 1;
  }
}

async function leadsTo<O>(plan: Plan, problem: Problem, { world, learnedOf, steps }: ShrinkParts<O>): Promise<boolean> {
  const learned = await learnedOf(plan.steps ?? steps);
  if (learned === undefined) return false;
  const result = await runPlan(world, plan, { expected: learned.expected });
  if (!result.isApplicable) return false;
  return judge(result, plan, learned).some(
    ({ oracle, subject }) => oracle === problem.oracle && subject === problem.subject,
  );
}
