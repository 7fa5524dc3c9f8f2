import type { CallEstimate, EstimatedCall, EstimatedNode, SizeOf } from './estimated-call.ts';
import { LIST_CREATE, REGEX_FACTOR, STRING_FACTOR } from './factors.ts';
import { kubernetesEstimate } from './kubernetes-estimate.ts';
import { type Bounds, exactly, ONE, plus, scaled, times, union, UNKNOWN_SIZE, UNLIMITED, ZERO } from './size.ts';

/** The estimated cost of a call with this signature and these arguments. */
export function estimateCall(call: EstimatedCall, sizeOf: SizeOf): CallEstimate {
  const special = listEstimate(call, sizeOf) ?? kubernetesEstimate(call, sizeOf);
  const { argCosts } = call;
  const all = argCosts.reduce(plus, ZERO);
  if (special !== undefined) return { cost: plus(special.cost, all), size: special.size };
  const standard = standardEstimates.get(call.overloadId)?.(call);
  if (standard === undefined) return { cost: plus(ONE, all) };
  return standard.includesArguments === true ? standard : { cost: plus(standard.cost, all), size: standard.size };
}

interface StandardEstimate extends CallEstimate {
  /** The cost already includes the arguments, because not all of them are evaluated. */
  readonly includesArguments?: boolean;
}

type Standard = (call: EstimatedCall) => StandardEstimate | undefined;

function known(node: EstimatedNode | undefined): Bounds {
  return node?.size ?? UNKNOWN_SIZE;
}

/** Unchecked 64-bit multiplication. */
function wrapped(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

const traversesTarget: Standard = ({ target }) =>
  target === undefined ? undefined : { cost: scaled(known(target), STRING_FACTOR) };
const traversesArgument: Standard = ({ args }) =>
  args.length === 1 ? { cost: scaled(known(args[0]), STRING_FACTOR) } : undefined;

function resized(size: (size: Bounds) => Bounds): Standard {
  return ({ args }) => {
    if (args.length !== 1) return undefined;
    const argument = known(args[0]);
    return { cost: scaled(argument, STRING_FACTOR), size: size(argument) };
  };
}

const logical: Standard = ({ argCosts: [left = ZERO, right = ZERO] }) => ({
  cost: { min: left.min, max: plus(left, right).max },
  includesArguments: true,
});

const compared: Standard = ({ args }) => {
  const [left, right] = [known(args[0]), known(args[1])];
  const max = left.max < right.max ? left.max : right.max;
  return { cost: scaled({ min: max > 0n ? 1n : 0n, max }, STRING_FACTOR) };
};

function added(isList: boolean): Standard {
  return ({ args }) => {
    if (args.length !== 2) return undefined;
    const size = plus(known(args[0]), known(args[1]));
    return { cost: isList ? ONE : scaled(size, STRING_FACTOR), size };
  };
}

const standardEstimates: ReadonlyMap<string, Standard> = new Map<string, Standard>([
  ['string_format', traversesTarget],
  ['string_to_bytes', resized(({ min, max }) => ({ min, max: wrapped(max * 4n) }))],
  ['bytes_to_string', resized(({ min, max }) => ({ min: min / 4n, max }))],
  ['strings_quote', resized(({ min, max }) => ({ min: wrapped(min + 2n), max: wrapped(max * 2n + 2n) }))],
  ['starts_with_string', traversesArgument],
  ['ends_with_string', traversesArgument],
  ['in_list', ({ args }) => (args.length === 2 ? { cost: scaled(known(args[1]), 1) } : undefined)],
  [
    'matches_string',
    ({ target, args }) => {
      if (target === undefined || args.length !== 1) return undefined;
      const text = scaled(plus(known(target), ONE), STRING_FACTOR);
      return { cost: times(text, scaled(known(args[0]), REGEX_FACTOR)) };
    },
  ],
  [
    'contains_string',
    ({ target, args }) => {
      if (target === undefined || args.length !== 1) return undefined;
      return { cost: times(scaled(known(target), STRING_FACTOR), scaled(known(args[0]), STRING_FACTOR)) };
    },
  ],
  ['logical_or', logical],
  ['logical_and', logical],
  [
    'conditional',
    ({ args, argCosts: [condition = ZERO, yes = ZERO, no = ZERO] }) => ({
      cost: plus(condition, union(yes, no)),
      size: union(known(args[1]), known(args[2])),
      includesArguments: true,
    }),
  ],
  ['add_string', added(false)],
  ['add_bytes', added(false)],
  ['add_list', added(true)],
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((verb): [string, Standard][] => [
    [`${verb}_string`, compared],
    [`${verb}_bytes`, compared],
  ]),
  ['equals', compared],
  ['not_equals', compared],
]);

const SETS: Readonly<Record<string, number>> = {
  list_sets_contains_list: 1,
  list_sets_intersects_list: 1,
  list_sets_equivalent_list: 2,
};
const SORT = /^list_(.+)_(sort|sortByAssociatedKeys)$/;

/** Estimates for the functions on lists and sets. */
function listEstimate({ overloadId, target, args }: EstimatedCall, sizeOf: SizeOf): CallEstimate | undefined {
  const size = (node: EstimatedNode | undefined): Bounds =>
    (node === undefined ? undefined : sizeOf(node)) ?? UNKNOWN_SIZE;
  const factor = SETS[overloadId];
  if (factor !== undefined) return { cost: plus(scaled(times(size(args[0]), size(args[1])), factor), ONE) };
  const [, type, verb] = SORT.exec(overloadId) ?? [];
  if (type !== undefined && target !== undefined) {
    const sorted = size(verb === 'sort' ? target : args[0]);
    const isText = type === 'string' || type === 'bytes';
    return allocating(isText ? 2 + STRING_FACTOR : 2, times(sorted, sorted));
  }
  switch (overloadId) {
    case 'list_slice': {
      const start = literalInt(args[0], 0n);
      return allocating(1, exactly(BigInt.asUintN(64, literalInt(args[1], size(target).max) - start)));
    }
    case 'lists_range':
      return allocating(1, exactly(literalInt(args[0], UNLIMITED)));
    case 'list_reverse':
      return allocating(1, size(target));
    case 'list_flatten':
      return allocating(1, size(target));
    case 'list_flatten_int':
      return allocating(Number(literalInt(args[0], UNLIMITED)), size(target));
    case 'list_distinct':
      return allocating(2, times(size(target), size(target)));
    default:
      return undefined;
  }
}

function allocating(factor: number, size: Bounds): CallEstimate {
  return { cost: plus(plus(scaled(size, factor), ONE), exactly(LIST_CREATE)), size };
}

function literalInt(node: EstimatedNode | undefined, otherwise: bigint): bigint {
  const expr = node?.expr;
  if (expr?.kind !== 'literal' || expr.literal.kind !== 'int') return otherwise;
  const value = BigInt(expr.literal.value);
  return value < 0n ? 0n : value;
}
