import { COMPARABLE_TYPES } from '../type-terms/index.ts';
import {
  Breakdown,
  costSize,
  Double,
  Duration,
  goTypeName,
  isList,
  isMap,
  type List,
  listAt,
  listItems,
  listSize,
  mapFind,
  mapKeys,
  Opaque,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values/index.ts';
import { LIST_CREATE, REGEX_FACTOR, STRING_FACTOR, STRUCT_CREATE } from './factors.ts';

/** The cost of a call: constant, or computed from its arguments (failures included) and its result. */
export type CallCost = number | ((args: readonly Value[], result: Value) => number);

/** Signatures with quadratic comparisons, whose cost must be charged before they run. */
export const prepaid: ReadonlySet<string> = new Set([
  'list_distinct',
  'list_sets_contains_list',
  'list_sets_intersects_list',
  'list_sets_equivalent_list',
]);

const CHECK = 350_000;

/** The cost of evaluating a call, by function and signature (empty when the signature is unknown). */
export function callCost(name: string, overloadId: string): CallCost {
  return byOverload.get(overloadId) ?? byFunction.get(name) ?? standard.get(overloadId) ?? 1;
}

/** Entries in Kubernetes' table that apply to some values only. */
function when(holds: (args: readonly Value[]) => boolean, cost: CallCost, otherwise: CallCost): CallCost {
  return (args, result) => {
    const chosen = holds(args) ? cost : otherwise;
    return typeof chosen === 'number' ? chosen : chosen(args, result);
  };
}

function traversal(position: number, factor = STRING_FACTOR): CallCost {
  return (args) => Math.ceil(costSize(args[position] as Value) * factor);
}

const regexSearch: CallCost = (args) => {
  const text = Math.ceil((1 + costSize(args[0] as Value)) * STRING_FACTOR);
  return text * Math.ceil(costSize(args[1] as Value) * REGEX_FACTOR);
};

/** The cost of traversing a value as a tree. */
function treeCost(value: Value): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * STRING_FACTOR);
  if (value instanceof Uint8Array) return Math.trunc(value.length * STRING_FACTOR);
  if (isList(value)) return listItems(value).reduce<number>((sum, item) => sum + treeCost(item), 0);
  if (!isMap(value)) return 1;
  let sum = 0;
  for (const key of mapKeys(value)) sum += treeCost(key) + treeCost(mapFind(value, key) as Value);
  return sum;
}

const tree: CallCost = (args) => treeCost(args[0] as Value);

const selector: CallCost = (args) => {
  const length = costSize(args[1] as Value);
  const requirements = Math.ceil(length * 0.5);
  return LIST_CREATE + Math.ceil(length * STRING_FACTOR) + Math.ceil(requirements * (LIST_CREATE + STRUCT_CREATE));
};

function containsCost(isNetwork: boolean, textOverload: string): (overloadId: string) => CallCost {
  return (overloadId) => (args) => {
    const size = costSize(args[0] as Value);
    const comparison = Math.ceil((size + size) * STRING_FACTOR);
    const masking = isNetwork ? Math.ceil(size * STRING_FACTOR) + 1 : 0;
    const parsing = overloadId === textOverload ? Math.ceil(costSize(args[1] as Value) * STRING_FACTOR) : 0;
    return comparison + masking + parsing;
  };
}

const containsIp = containsCost(false, 'cidr_contains_ip_string');
const containsCidr = containsCost(true, 'cidr_contains_cidr_string');

/** A value that knows the size of the pattern by which it validates. */
interface Validator {
  readonly patternSize: number;
}

const validation: CallCost = (args) => {
  const text = Math.ceil((1 + costSize(args[1] as Value)) * STRING_FACTOR);
  return text * Math.ceil((args[0] as unknown as Validator).patternSize * REGEX_FACTOR);
};

const equality: CallCost = (args) => {
  const [left, right] = args as readonly [Value, Value];
  return Math.ceil(Math.min(operandSize(left), operandSize(right)) * STRING_FACTOR);
};

/** Same as costSize, except that an optional has the size of its value. */
function operandSize(value: Value): number {
  if (value instanceof Optional && value.value !== undefined) return operandSize(value.value);
  return costSize(value);
}

function allocating(cost: (args: readonly Value[], result: Value) => number): CallCost {
  return (args, result) => Math.trunc(cost(args, result)) + 1 + LIST_CREATE;
}

/** Comparing the elements of a list with each other. */
function selfComparison(position: number): CallCost {
  return allocating((args) => {
    const list = listOrBreakdown(args[position] as Value);
    const size = listSize(list);
    if (size === 0) return 0;
    const first = listAt(list, 0);
    const isText = typeof first === 'string' || first instanceof Uint8Array;
    return size * size * (isText ? 2 + STRING_FACTOR : 2);
  });
}

function listOrBreakdown(value: Value): List {
  if (isList(value)) return value;
  const missing = hasAddition(value) ? 'Contains' : 'Add';
  const conversion = `interface conversion: ${goTypeName(value)} is not traits.Lister: missing method ${missing}`;
  throw new Breakdown(`internal error: ${conversion}`);
}

function intOrBreakdown(value: Value): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  const conversion = `interface conversion: ref.Val is ${goTypeName(value)}, not types.Int`;
  throw new Breakdown(`internal error: ${conversion}`);
}

function hasAddition(value: Value): boolean {
  if (typeof value !== 'object') return typeof value !== 'boolean';
  if (value instanceof Uint8Array || value instanceof Double || value instanceof Uint) return true;
  return value instanceof Duration || value instanceof Timestamp;
}

const flattening: CallCost = allocating(
  (args) => costSize(args[0] as Value) * (args.length === 2 ? intOrBreakdown(args[1] as Value) : 1),
);
const outputSize: CallCost = allocating((_, result) => costSize(result));

function setComparison(factor: number): CallCost {
  return (args) => 1 + costSize(args[0] as Value) * costSize(args[1] as Value) * factor;
}

const byOverload: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['list_slice', outputSize],
  ['lists_range', outputSize],
  ['list_reverse', outputSize],
  ['list_flatten', flattening],
  ['list_flatten_int', flattening],
  ['list_distinct', selfComparison(0)],
  ...COMPARABLE_TYPES.map(({ name }): [string, CallCost] => [`list_${name}_sort`, selfComparison(0)]),
  ...COMPARABLE_TYPES.map(({ name }): [string, CallCost] => [`list_${name}_sortByAssociatedKeys`, selfComparison(1)]),
  ['list_sets_contains_list', setComparison(1)],
  ['list_sets_intersects_list', setComparison(1)],
  ['list_sets_equivalent_list', setComparison(2)],
  ['cidr_ip', 1],
  ['cidr_contains_ip_string', containsIp('cidr_contains_ip_string')],
  ['cidr_contains_cidr_string', containsCidr('cidr_contains_cidr_string')],
]);

const isOpaque = (args: readonly Value[]): boolean => args[0] instanceof Opaque;

function each(names: readonly string[], cost: CallCost): [string, CallCost][] {
  return names.map((name) => [name, cost]);
}

const byFunction: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['check', CHECK],
  ...each(['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name'], 1),
  ...each(['allowed', 'reason', 'error', 'errored'], 1),
  ...each(['fieldSelector', 'labelSelector'], selector),
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], tree),
  ...each(['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey'], traversal(0)),
  ...each(['replace', 'split', 'ip.isCanonical'], traversal(0, 2 * STRING_FACTOR)),
  ['join', (_, result) => Math.ceil(costSize(result) * 2 * STRING_FACTOR)],
  ...each(['find', 'findAll'], regexSearch),
  ...each(['cidr', 'isIP', 'isCIDR', 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver'], traversal(0)),
  ...each(['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback'], 1),
  ...each(['isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'], 1),
  ['containsIP', containsIp('')],
  ['containsCIDR', containsCidr('')],
  ['validate', when(([format]) => format instanceof Opaque && 'patternSize' in format, validation, 1)],
  ['_==_', when(isOpaque, 1, equality)],
]);

const sum: CallCost = (args) =>
  Math.ceil((operandSize(args[0] as Value) + operandSize(args[1] as Value)) * STRING_FACTOR);

/** The costs that the language specifies, by signature. */
const standard: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...each(
    ['starts_with_string', 'ends_with_string', 'string_to_bytes', 'bytes_to_string', 'strings_quote', 'string_format'],
    traversal(0),
  ),
  ['in_list', (args) => operandSize(args[1] as Value)],
  ...each(
    ['less', 'greater', 'less_equals', 'greater_equals'].flatMap((verb) => [`${verb}_string`, `${verb}_bytes`]),
    equality,
  ),
  ['not_equals', equality],
  ['add_string', sum],
  ['add_bytes', sum],
  ['matches_string', regexSearch],
  [
    'contains_string',
    (args) =>
      Math.ceil(costSize(args[0] as Value) * STRING_FACTOR) * Math.ceil(costSize(args[1] as Value) * STRING_FACTOR),
  ],
]);
