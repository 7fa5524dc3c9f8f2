/** A resource that counts when nodes are compared. */
export interface ScoredResource {
  readonly name: string;
  readonly weight: number;
}

export interface FitArgs {
  readonly ignoredResources: ReadonlySet<string>;
  readonly ignoredResourceGroups: ReadonlySet<string>;
  readonly resources: readonly ScoredResource[];
}

const DEFAULT_RESOURCES: readonly ScoredResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** Reads what a profile says for NodeResourcesFit, in the form of NodeResourcesFitArgs. */
export function readFitArgs(args: unknown): FitArgs {
  const {
    ignoredResources = [],
    ignoredResourceGroups = [],
    scoringStrategy = {},
  } = (args ?? {}) as {
    ignoredResources?: readonly string[];
    ignoredResourceGroups?: readonly string[];
    scoringStrategy?: { type?: string; resources?: unknown };
  };
  const { type = 'LeastAllocated', resources } = scoringStrategy;
  if (type !== 'LeastAllocated')
    throw new Error(`Cannot set up NodeResourcesFit: scoring strategy ${JSON.stringify(type)} is not supported`);
  return {
    ignoredResources: new Set(ignoredResources),
    ignoredResourceGroups: new Set(ignoredResourceGroups),
    resources: readScoredResources(resources),
  };
}

/** CPU and memory alike unless others are given. */
export function readScoredResources(resources: unknown): readonly ScoredResource[] {
  if (resources === undefined) return DEFAULT_RESOURCES;
  const list = resources as readonly Partial<ScoredResource>[];
  return list.map(({ name = '', weight = 1 }) => {
    if (name === '' || !(Number.isInteger(weight) && weight >= 1 && weight <= 100)) {
      const shown = JSON.stringify({ name, weight });
      throw new Error(`Cannot score resources: need a name and a weight from 1 to 100, got ${shown}`);
    }
    return { name, weight };
  });
}
