// Looks for faults that an operator does not survive.
export { explore, type ExploreOptions, type ExploreProgress } from './explore.ts';
export type { InputOptions } from './inputs/input-options.ts';
export type { FaultGroup } from './make-plans.ts';
export type { ExploreReport, Finding } from './report.ts';
export type { Oracle } from './problem.ts';
export type { ProgramScenario, Scenario, ScenarioParts, ScenarioStep } from './scenario.ts';
export type { RequestCost, UsedRight } from './usage.ts';
