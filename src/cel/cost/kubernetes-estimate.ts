import type { Type } from '../type-terms/index.ts';
import type { CallEstimate, EstimatedCall, EstimatedNode, SizeOf } from './estimated-call.ts';
import { LIST_CREATE, REGEX_FACTOR, STRING_FACTOR, STRUCT_CREATE } from './factors.ts';
import { type Bounds, exactly, ONE, plus, scaled, times, UNKNOWN_SIZE, UNLIMITED, ZERO } from './size.ts';

const MAX_FORMAT_SIZE = 64n;
const MAX_NAME_PATTERN = 128;
const ADDRESS_BYTES: Bounds = { min: 4n, max: 16n };

type Rule = (call: EstimatedCall, size: (node: EstimatedNode | undefined) => Bounds) => CallEstimate | undefined;

/** Estimates for Kubernetes' functions. Changing one would change which rules are accepted. */
export function kubernetesEstimate(call: EstimatedCall, sizeOf: SizeOf): CallEstimate | undefined {
  const size = (node: EstimatedNode | undefined): Bounds =>
    (node === undefined ? undefined : sizeOf(node)) ?? UNKNOWN_SIZE;
  return rules.get(call.name)?.(call, size);
}

const nominal: Rule = () => ({ cost: ONE });

function argumentTraversal(factor: number, keepsSize: boolean): Rule {
  return ({ args }, size) => {
    if (args.length === 0) return undefined;
    const text = size(args[0]);
    return { cost: scaled(text, factor), size: keepsSize ? text : undefined };
  };
}

const targetTraversal: Rule = ({ target }, size) => {
  if (target === undefined) return undefined;
  const text = size(target);
  return { cost: scaled(text, STRING_FACTOR), size: text };
};

const selector: Rule = ({ args }, size) => {
  if (args.length !== 1) return undefined;
  const length = size(args[0]);
  const requirements = scaled(scaled(length, 0.5), LIST_CREATE + STRUCT_CREATE);
  return { cost: plus(plus(exactly(LIST_CREATE), scaled(length, STRING_FACTOR)), requirements) };
};

/** A node for the elements of a list, whose size may be declared. */
function elementNode(list: EstimatedNode): EstimatedNode | undefined {
  const [type] = list.type.parameters;
  if (type === undefined) return undefined;
  return {
    expr: undefined,
    type,
    path: list.path.length === 0 ? list.path : list.path.append('@items'),
    size: undefined,
  };
}

const listTraversal: Rule = ({ target }, size) => {
  if (target === undefined) return undefined;
  const element = elementNode(target);
  if (element === undefined) return { cost: scaled(size(target), STRING_FACTOR) };
  const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
  const each = isText ? plus(ONE, scaled(size(element), STRING_FACTOR)) : ONE;
  return { cost: times(size(target), each) };
};

const split: Rule = ({ target, args }, size) => {
  if (target === undefined) return undefined;
  const text = size(target);
  const limit = args[1]?.expr;
  const isLimited = limit?.kind === 'literal' && limit.literal.kind === 'int';
  const max = isLimited ? BigInt.asUintN(64, BigInt(limit.literal.value)) : text.max;
  return { cost: scaled(text, 2 * STRING_FACTOR), size: { min: 0n, max } };
};

const join: Rule = ({ target, args }, size) => {
  if (target === undefined) return undefined;
  const list = size(target);
  const element = elementNode(target);
  let total = element === undefined ? ZERO : times(list, size(element));
  if (args.length > 0) {
    const separators = { min: list.min > 0n ? list.min - 1n : 0n, max: list.max > 0n ? list.max - 1n : 0n };
    total = plus(total, times(size(args[0]), separators));
  }
  return { cost: scaled(total, STRING_FACTOR), size: total };
};

const search: Rule = ({ target, args }, size) => {
  if (target === undefined || args.length === 0) return undefined;
  const text = size(target);
  const cost = times(scaled(plus(text, ONE), STRING_FACTOR), scaled(size(args[0]), REGEX_FACTOR));
  return { cost, size: { min: 0n, max: text.max } };
};

const ip: Rule = (call, size) =>
  call.overloadId === 'cidr_ip' ? { cost: ONE } : argumentTraversal(STRING_FACTOR, false)(call, size);

function containment(isNetwork: boolean, textOverload: string): Rule {
  return ({ overloadId, args }, size) => {
    if (args.length === 0) return undefined;
    let cost = scaled(plus(ADDRESS_BYTES, ADDRESS_BYTES), STRING_FACTOR);
    if (isNetwork) cost = plus(plus(cost, scaled(ADDRESS_BYTES, STRING_FACTOR)), ONE);
    return { cost: overloadId === textOverload ? plus(cost, scaled(size(args[0]), STRING_FACTOR)) : cost };
  };
}

const validate: Rule = ({ args }, size) =>
  args.length === 0
    ? undefined
    : { cost: scaled(scaled(size(args[0]), STRING_FACTOR), MAX_NAME_PATTERN * REGEX_FACTOR) };

const NOMINALLY_EQUAL = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
]);

const equality: Rule = ({ args }) => {
  const [left, right] = args;
  if (left === undefined || right === undefined || left.type.name !== right.type.name) return undefined;
  return equalityOf(left.type, right);
};

function equalityOf(type: Type, right: EstimatedNode): CallEstimate | undefined {
  if (type.kind !== 'opaque' && type.kind !== 'struct') return undefined;
  if (NOMINALLY_EQUAL.has(type.name)) return { cost: ONE };
  if (type.name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1n, max: MAX_FORMAT_SIZE }, STRING_FACTOR) };
  if (type.name !== 'kubernetes.URL') return undefined;
  return { cost: scaled({ min: 1n, max: right.size?.max ?? 1n }, STRING_FACTOR) };
}

function each(names: readonly string[], rule: Rule): [string, Rule][] {
  return names.map((name) => [name, rule]);
}

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['check', () => ({ cost: exactly(350_000) })],
  ...each(['serviceAccount', 'path', 'group', 'resource', 'subresource', 'namespace', 'name'], nominal),
  ...each(['allowed', 'reason', 'error', 'errored'], nominal),
  ...each(['fieldSelector', 'labelSelector'], selector),
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], listTraversal),
  ...each(['url', 'jsonpatch.escapeKey'], (call, size) =>
    call.args.length === 1 ? argumentTraversal(STRING_FACTOR, true)(call, size) : undefined,
  ),
  ...each(['lowerAscii', 'upperAscii', 'substring', 'trim'], targetTraversal),
  ['replace', replaceEstimate],
  ['split', split],
  ['join', join],
  ...each(['find', 'findAll'], search),
  ...each(
    ['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'],
    argumentTraversal(STRING_FACTOR, false),
  ),
  ['ip', ip],
  ['ip.isCanonical', argumentTraversal(2 * STRING_FACTOR, false)],
  ...each(['masked', 'prefixLength', 'family', 'isUnspecified', 'isLoopback'], nominal),
  ...each(['isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'], nominal),
  ['containsIP', containment(false, 'cidr_contains_ip_string')],
  ['containsCIDR', containment(true, 'cidr_contains_cidr_string')],
  ['validate', validate],
  ['format.named', nominal],
  ...each(
    ['sign', 'asInteger', 'isInteger', 'asApproximateFloat', 'isGreaterThan', 'isLessThan', 'compareTo'],
    nominal,
  ),
  ...each(['add', 'sub', 'major', 'minor', 'patch'], nominal),
  ...each(['getScheme', 'getHostname', 'getHost', 'getPort', 'getEscapedPath', 'getQuery'], nominal),
  ['includes', ({ target }) => (target === undefined ? undefined : { cost: { min: 0n, max: 48n } })],
  ['_==_', equality],
]);

/** `replace`: the longest and shortest possible result. */
function replaceEstimate(
  { target, args }: EstimatedCall,
  size: (node: EstimatedNode | undefined) => Bounds,
): CallEstimate | undefined {
  if (target === undefined || args.length < 2) return undefined;
  const [text, old, fresh] = [size(target), size(args[0]), size(args[1])];
  const longest = replacements(text.max, old.min, fresh.max <= old.min);
  const shortest = replacements(text.min, old.max, old.max <= fresh.min);
  const count: Bounds = { min: shortest.count, max: longest.count };
  const kept: Bounds = { min: shortest.kept, max: longest.kept };
  return { cost: scaled(text, 2 * STRING_FACTOR), size: plus(times(count, fresh), kept) };
}

/** How many replacements there are, and how much of the string remains. */
function replacements(text: bigint, smallestOld: bigint, isNoGain: boolean): Record<'count' | 'kept', bigint> {
  if (smallestOld === 0n) return { count: text < UNLIMITED ? text + 1n : text, kept: text };
  if (isNoGain) return { count: 0n, kept: text };
  return { count: quotient(text, smallestOld), kept: 0n };
}

/** Divides in floating point; a result too large for 64 bits is what the processor yields. */
function quotient(left: bigint, right: bigint): bigint {
  const value = Math.ceil(Number(left) / Number(right));
  return value >= 2 ** 64 ? 2n ** 63n : BigInt(value);
}
