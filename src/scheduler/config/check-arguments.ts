import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import { parseGoDuration } from '../../base/index.ts';
import { nodeAffinityProblems } from './check-node-affinity.ts';
import type { BuiltInArguments, ResourceSpec, ShapePoint } from './configuration.ts';
import { isWithArguments } from './configuration-kinds.ts';

const STRATEGIES = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];
const SECOND = 1_000_000_000n;
/** Scores of a shape go from 0 to this. */
const MAX_SHAPE_SCORE = 10;

type Problems = readonly (FieldError | string)[];

/** What is wrong with the arguments of a plugin; those of plugins that are not built in are the plugins' own business. */
export function checkArguments(name: string, args: unknown, path: string): Problems {
  return isWithArguments(name) ? checkBuiltIn(name, args, path) : [];
}

function checkBuiltIn<Name extends keyof BuiltInArguments>(name: Name, args: unknown, path: string): Problems {
  return checks[name](args as BuiltInArguments[Name], path); // it was decoded as such
}

type Checks = {
  readonly [Name in keyof BuiltInArguments]: (args: BuiltInArguments[Name], path: string) => Problems;
};

const checks: Checks = {
  DefaultPreemption({ minCandidateNodesPercentage: share, minCandidateNodesAbsolute: count }, path) {
    const [sharePath, countPath] = [`${path}.minCandidateNodesPercentage`, `${path}.minCandidateNodesAbsolute`];
    const zero = 'cannot be zero at the same time as';
    return [
      ...(share < 0 || share > 100 ? [invalidValue(sharePath, share, 'not in valid range [0, 100]')] : []),
      ...(count < 0 ? [invalidValue(countPath, count, 'not in valid range [0, inf)')] : []),
      ...(share === 0 && count === 0
        ? [
            invalidValue(sharePath, share, `${zero} minCandidateNodesAbsolute`),
            invalidValue(countPath, count, `${zero} minCandidateNodesPercentage`),
          ]
        : []),
    ];
  },
  DynamicResources({ filterTimeout, bindingTimeout }, path) {
    const isShort = parseGoDuration(bindingTimeout) < SECOND;
    return [
      ...(parseGoDuration(filterTimeout) < 0n
        ? [invalidValue(`${path}.filterTimeout`, filterTimeout, 'must be zero or positive')]
        : []),
      ...(isShort ? [invalidValue(`${path}.bindingTimeout`, bindingTimeout, 'must be at least 1 second')] : []),
    ];
  },
  InterPodAffinity({ hardPodAffinityWeight: weight }, path) {
    if (weight >= 0 && weight <= 100) return [];
    return [invalidValue(`${path}.hardPodAffinityWeight`, weight, 'not in valid range [0, 100]')];
  },
  NodeAffinity: ({ addedAffinity }, path) => nodeAffinityProblems(addedAffinity, `${path}.addedAffinity`),
  NodeResourcesBalancedAllocation({ resources }, path) {
    return resources.flatMap(({ name, weight }, index) => {
      const place = `${path}.resources[${index}]`;
      const isRepeated = resources.findIndex((other) => other.name === name) < index;
      return [
        ...(isRepeated ? [duplicate(`${place}.name`, name)] : []),
        ...(weight === 1 ? [] : [invalidValue(`${place}.weight`, weight, 'must be 1')]),
      ];
    });
  },
  /** Kube-scheduler looks at these only when the plugin is made; see `fitArgumentsProblems`. */
  NodeResourcesFit: () => [],
  PodTopologySpread({ defaultConstraints = [], defaultingType }, path) {
    const typePath = `${path}.defaultingType`;
    const isKnown = defaultingType === 'System' || defaultingType === 'List';
    return [
      ...(isKnown ? [] : [notSupported(typePath, defaultingType, ['System', 'List'])]),
      ...(defaultingType === 'System' && defaultConstraints.length > 0
        ? [invalidValue(typePath, defaultingType, 'when .defaultConstraints are not empty')]
        : []),
      ...defaultConstraints.flatMap((_, index) => constraintProblems(defaultConstraints, index, path)),
    ];
  },
  VolumeBinding({ bindTimeoutSeconds: seconds, shape }, path) {
    const unexpected = 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring';
    return [
      ...(seconds < 0
        ? [
            invalidValue(
              `${path}.bindTimeoutSeconds`,
              seconds,
              'invalid BindTimeoutSeconds, should not be a negative value',
            ),
          ]
        : []),
      ...(shape === undefined ? [] : [invalidValue(`${path}.shape`, shape.map(shownPoint), unexpected)]),
    ];
  },
};

function shownPoint({ utilization = 0, score = 0 }: Partial<ShapePoint>): unknown {
  return { Utilization: utilization, Score: score };
}

function constraintProblems(
  constraints: NonNullable<BuiltInArguments['PodTopologySpread']['defaultConstraints']>,
  index: number,
  path: string,
): FieldError[] {
  const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', labelSelector } = constraints[index] ?? {};
  const place = `${path}.defaultConstraints[${index}]`;
  const isRepeated =
    constraints.findIndex(
      (other) => (other.topologyKey ?? '') === topologyKey && (other.whenUnsatisfiable ?? '') === whenUnsatisfiable,
    ) < index;
  const actions = ['DoNotSchedule', 'ScheduleAnyway'];
  return [
    ...(maxSkew <= 0 ? [invalidValue(`${place}.maxSkew`, maxSkew, 'not in valid range (0, inf)')] : []),
    ...(topologyKey === ''
      ? [required(`${place}.topologyKey`, 'can not be empty')]
      : nameProblems(`${place}.topologyKey`, topologyKey)),
    ...(whenUnsatisfiable === ''
      ? [required(`${place}.whenUnsatisfiable`, 'can not be empty')]
      : actions.includes(whenUnsatisfiable)
        ? []
        : [notSupported(`${place}.whenUnsatisfiable`, whenUnsatisfiable, actions)]),
    ...(labelSelector === undefined
      ? []
      : [
          forbiddenField(
            `${place}.labelSelector`,
            'constraint must not define a selector, as they deduced for each pod',
          ),
        ]),
    ...(isRepeated ? [duplicate(place, `{${topologyKey}, ${whenUnsatisfiable}}`)] : []),
  ];
}

/** What is wrong with the arguments of NodeResourcesFit. The paths begin with their members. */
export function fitArgumentsProblems(args: BuiltInArguments['NodeResourcesFit']): readonly FieldError[] {
  const { ignoredResources = [], ignoredResourceGroups = [], scoringStrategy } = args;
  const { type, resources, requestedToCapacityRatio: ratio } = scoringStrategy;
  const ratioPath = 'scoringStrategy.requestedToCapacityRatio';
  const isRatio = type === 'RequestedToCapacityRatio';
  return [
    ...ignoredResources.flatMap((name, index) => nameProblems(`ignoredResources[${index}]`, name)),
    ...ignoredResourceGroups.flatMap((group, index) => {
      const field = `ignoredResourceGroups[${index}]`;
      const slash = group.includes('/') ? [invalidValue(field, group, "resource group name can't contain '/'")] : [];
      return [...slash, ...nameProblems(field, group)];
    }),
    ...(STRATEGIES.includes(type) ? [] : [notSupported('scoringStrategy.type', type, STRATEGIES)]),
    ...weightProblems(resources),
    ...(isRatio && ratio === undefined
      ? [required(ratioPath, 'must be specified when type is RequestedToCapacityRatio')]
      : []),
    ...(isRatio && ratio !== undefined ? shapeProblems(ratio.shape, `${ratioPath}.shape`) : []),
    ...(!isRatio && ratio !== undefined
      ? [forbiddenField(ratioPath, 'must be nil when type is not RequestedToCapacityRatio')]
      : []),
  ];
}

function weightProblems(resources: readonly ResourceSpec[]): FieldError[] {
  return resources.flatMap(({ name, weight }, index) => {
    if (weight > 0 && weight <= 100) return [];
    const says = `resource weight of ${name} not in valid range (0, 100]`;
    return [invalidValue(`scoringStrategy.resources[${index}].weight`, weight, says)];
  });
}

function shapeProblems(shape: readonly Partial<ShapePoint>[] = [], path: string): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')];
  const used = shape.map(({ utilization = 0 }) => utilization);
  const unsorted = used.findIndex((value, index) => index > 0 && (used[index - 1] ?? 0) >= value);
  return [
    ...(unsorted < 0
      ? []
      : [
          invalidValue(`${path}[${unsorted}].utilization`, used[unsorted], 'values must be sorted in increasing order'),
        ]),
    ...shape.flatMap(({ utilization = 0, score = 0 }, index) => [
      ...(utilization < 0 || utilization > 100
        ? [invalidValue(`${path}[${index}].utilization`, utilization, 'not in valid range [0, 100]')]
        : []),
      ...(score < 0 || score > MAX_SHAPE_SCORE
        ? [invalidValue(`${path}[${index}].score`, score, `not in valid range [0, ${MAX_SHAPE_SCORE}]`)]
        : []),
    ]),
  ];
}

function nameProblems(field: string, name: string): FieldError[] {
  return qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem));
}
