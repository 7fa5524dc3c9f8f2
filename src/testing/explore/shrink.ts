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
  for (const step of [...(smallest.steps ?? parts.steps)].reverse()) {
    const left = (smallest.steps ?? parts.steps).filter((each) => each !== step);
    if (left.length === 0 || smallest.faults.some((fault) => 'step' in fault && fault.step === step)) continue;
    const fewer = { ...smallest, steps: left };
    if (await leadsTo(fewer, problem, parts)) smallest = fewer;
  }
  return smallest;
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
