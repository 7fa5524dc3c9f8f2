import { duplicate, type FieldError, forbiddenField, invalidValue, notSupported, required } from '../../api/index.ts';
import { qualifiedNameProblems } from '../../api/values/index.ts';
import { childPath, refuseArguments } from './plugin-arguments.ts';

/** A resource with its weight for scoring. */
export interface ScoredResource {
  readonly name: string;
  readonly weight: number;
}

/** A point of the score function: a utilization in percent and its score from 0 to 10. */
export interface UtilizationPoint {
  readonly utilization: number;
  readonly score: number;
}

type GivenResource = { readonly name: string; readonly weight?: number };

/** The arguments of NodeResourcesFit, as in NodeResourcesFitArgs. */
export interface FitArgs {
  /** Extended resources that Filter ignores. */
  readonly ignoredResources?: readonly string[];
  /** Ignores all extended resources with one of these prefixes (the part before the slash). */
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy?: {
    readonly type?: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
    /** Default: CPU and memory, equally weighted. */
    readonly resources?: readonly GivenResource[];
    readonly requestedToCapacityRatio?: { readonly shape?: readonly Partial<UtilizationPoint>[] };
  };
}

/** The arguments as decoded, before validation. */
export interface WrittenFitArgs extends Omit<FitArgs, 'scoringStrategy'> {
  readonly scoringStrategy?: Omit<NonNullable<FitArgs['scoringStrategy']>, 'type'> & { readonly type?: string };
}

/** The arguments of NodeResourcesBalancedAllocation, as in NodeResourcesBalancedAllocationArgs. */
export interface BalancedAllocationArgs {
  readonly resources?: readonly GivenResource[];
}

/** The arguments of NodeResourcesFit with defaults in place. */
export interface FitSettings {
  readonly ignoredResources: ReadonlySet<string>;
  readonly ignoredResourceGroups: ReadonlySet<string>;
  readonly resources: readonly ScoredResource[];
  readonly strategy: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  /** For RequestedToCapacityRatio. */
  readonly shape: readonly UtilizationPoint[];
}

const DEFAULT_RESOURCES: readonly ScoredResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];
const STRATEGIES = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];

/** Reads the arguments of NodeResourcesFit from a profile. */
export function readFitArgs(args: unknown): FitSettings {
  const given = (args ?? {}) as FitArgs;
  refuseArguments('NodeResourcesFit', fitArgsErrors(given));
  const { ignoredResources, ignoredResourceGroups, scoringStrategy = {} } = given;
  return {
    ignoredResources: new Set(ignoredResources),
    ignoredResourceGroups: new Set(ignoredResourceGroups),
    resources: completed(scoringStrategy.resources),
    strategy: scoringStrategy.type ?? 'LeastAllocated',
    shape: (scoringStrategy.requestedToCapacityRatio?.shape ?? []).map(completedPoint),
  };
}

/** Reads the scored resources of NodeResourcesBalancedAllocation from a profile. */
export function readBalancedAllocationArgs(args: unknown): readonly ScoredResource[] {
  const given = (args ?? {}) as BalancedAllocationArgs;
  refuseArguments('NodeResourcesBalancedAllocation', balancedAllocationArgsErrors(given));
  return completed(given.resources);
}

/** Validates the arguments, in kube-scheduler's words. */
export function fitArgsErrors(args: WrittenFitArgs, path = ''): FieldError[] {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy = {} } = args;
  const strategyPath = childPath(path, 'scoringStrategy');
  const { type = 'LeastAllocated', resources, requestedToCapacityRatio } = scoringStrategy;
  const errors = [
    ...nameErrors(ignoredResources, childPath(path, 'ignoredResources')),
    ...groupErrors(ignoredResourceGroups, childPath(path, 'ignoredResourceGroups')),
  ];
  if (!STRATEGIES.includes(type)) errors.push(notSupported(`${strategyPath}.type`, type, STRATEGIES));
  errors.push(...weightErrors(completed(resources), `${strategyPath}.resources`));
  const ratioPath = `${strategyPath}.requestedToCapacityRatio`;
  if (type !== 'RequestedToCapacityRatio') {
    if (requestedToCapacityRatio !== undefined)
      errors.push(forbiddenField(ratioPath, 'must be nil when type is not RequestedToCapacityRatio'));
  } else if (requestedToCapacityRatio === undefined)
    errors.push(required(ratioPath, 'must be specified when type is RequestedToCapacityRatio'));
  else errors.push(...shapeErrors((requestedToCapacityRatio.shape ?? []).map(completedPoint), `${ratioPath}.shape`));
  return errors;
}

/** The same for NodeResourcesBalancedAllocation. */
export function balancedAllocationArgsErrors({ resources }: BalancedAllocationArgs, path = ''): FieldError[] {
  return completed(resources).flatMap(({ name, weight }, index, all) => {
    const itemPath = `${childPath(path, 'resources')}[${index}]`;
    const isRepeated = all.findIndex((other) => other.name === name) < index;
    return [
      ...(isRepeated ? [duplicate(`${itemPath}.name`, name)] : []),
      ...(weight === 1 ? [] : [invalidValue(`${itemPath}.weight`, weight, 'must be 1')]),
    ];
  });
}

/** Default: CPU and memory; a weight that is absent or 0 is 1. */
function completed(resources: readonly GivenResource[] = []): readonly ScoredResource[] {
  if (resources.length === 0) return DEFAULT_RESOURCES;
  return resources.map(({ name, weight = 0 }) => ({ name, weight: weight === 0 ? 1 : weight }));
}

function completedPoint({ utilization = 0, score = 0 }: Partial<UtilizationPoint>): UtilizationPoint {
  return { utilization, score };
}

function nameErrors(names: readonly string[], path: string): FieldError[] {
  return names.flatMap((name, index) =>
    qualifiedNameProblems(name).map((problem) => invalidValue(`${path}[${index}]`, name, problem)),
  );
}

function groupErrors(groups: readonly string[], path: string): FieldError[] {
  return groups.flatMap((group, index) => [
    ...(group.includes('/') ? [invalidValue(`${path}[${index}]`, group, "resource group name can't contain '/'")] : []),
    ...qualifiedNameProblems(group).map((problem) => invalidValue(`${path}[${index}]`, group, problem)),
  ]);
}

function weightErrors(resources: readonly ScoredResource[], path: string): FieldError[] {
  return resources.flatMap(({ name, weight }, index) => {
    if (weight > 0 && weight <= 100) return [];
    const detail = `resource weight of ${name} not in valid range (0, 100]`;
    return [invalidValue(`${path}[${index}].weight`, weight, detail)];
  });
}

function shapeErrors(shape: readonly UtilizationPoint[], path: string): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')];
  const errors: FieldError[] = [];
  const unsorted = shape.findIndex(
    ({ utilization }, index) => index > 0 && shape[index - 1]!.utilization >= utilization,
  );
  if (unsorted > 0) {
    const { utilization } = shape[unsorted] as UtilizationPoint;
    errors.push(
      invalidValue(`${path}[${unsorted}].utilization`, utilization, 'values must be sorted in increasing order'),
    );
  }
  for (const [index, { utilization, score }] of shape.entries()) {
    if (!(utilization >= 0 && utilization <= 100))
      errors.push(invalidValue(`${path}[${index}].utilization`, utilization, 'not in valid range [0, 100]'));
    if (!(score >= 0 && score <= 10))
      errors.push(invalidValue(`${path}[${index}].score`, score, 'not in valid range [0, 10]'));
  }
  return errors;
}
