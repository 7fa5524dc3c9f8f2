import { loadModule, packageOf } from '../definitions/load-module.ts';
import { UsageError } from '../command.ts';

/** What the command needs of a report. */
export interface Report {
  readonly scenario: string;
  readonly findings: readonly { readonly oracle: string; readonly message: string; readonly svg: string }[];
  readonly text: string;
  readonly junit: string;
}

export interface ExploreSettings {
  readonly seed?: string;
  readonly budget?: number;
  readonly maxPlans?: number;
  readonly maxFaults?: number;
  readonly maxFindings?: number;
  readonly faults?: readonly string[];
  readonly plan?: string;
  readonly part?: { readonly index: number; readonly count: number };
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { readonly done: number; readonly total: number; readonly findings: number }) => void;
}

/** `explore` of the project's own package, with which its operator was made. */
export type Explore = (scenario: object, settings: ExploreSettings) => Promise<Report>;

/** A scenario that a module exports. */
export interface NamedScenario {
  readonly name: string;
  readonly scenario: object;
}

export interface LoadedScenarios {
  readonly explore: Explore;
  readonly scenarios: readonly NamedScenario[];
}

/** Loads the scenarios that a module exports, and `explore` of its project. */
export async function loadScenarios(file: string, only: readonly string[]): Promise<LoadedScenarios> {
  const testing = await packageOf<{ readonly explore?: Explore }>(file, 'keelson/testing');
  if (testing?.explore === undefined)
    throw new Error(`Cannot explore "${file}": its project has no package keelson; npm install --save-dev keelson`);
  const found = Object.entries(await loadModule(file)).filter(([, value]) => isScenario(value));
  const all = found.map(([name, scenario]): NamedScenario => ({ name, scenario: scenario as object }));
  if (all.length === 0)
    throw new UsageError(`"${file}" exports no scenario: an object with app, a function, and steps, an object`);
  const unknown = only.find((name) => all.every((each) => each.name !== name));
  if (unknown !== undefined)
    throw new UsageError(
      `"${file}" exports no scenario "${unknown}": it has ${all.map(({ name }) => name).join(', ')}`,
    );
  return {
    explore: testing.explore,
    scenarios: only.length === 0 ? all : all.filter(({ name }) => only.includes(name)),
  };
}

function isScenario(value: unknown): boolean {
  const { app, steps } = (value ?? {}) as { readonly app?: unknown; readonly steps?: unknown };
  return typeof app === 'function' && typeof steps === 'object' && steps !== null;
}
