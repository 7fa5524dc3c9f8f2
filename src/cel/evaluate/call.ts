import type { FunctionDeclaration, Implementation, Overload } from '../check/declarations.ts';
import type { CallCost } from '../cost/call-cost.ts';
import {
  CelError,
  Duration,
  Failure,
  isList,
  isMap,
  listAt,
  listSize,
  mapFind,
  mapKeys,
  noSuchOverload,
  Timestamp,
  typeOf,
  UnknownValue,
  type Value,
} from '../values/index.ts';
import type { Type } from '../type-terms/index.ts';
import type { Evaluate } from './frame.ts';
import type { Pattern } from '../library/regex.ts';

/** How a call is dispatched: the implementation, and whether it accepts failures. */
export interface Dispatch {
  readonly implementation: Implementation;
  readonly isNonStrict: boolean;
}

/** The implementation for a call that the checker resolved to `overloadId`, or to one of several when that is empty. */
export function dispatch(
  declared: FunctionDeclaration,
  overloadId: string,
  argumentCount: number,
): Dispatch | undefined {
  const { singleton } = declared;
  if (singleton !== undefined) {
    return { implementation: traited(declared.name, singleton.implementation, singleton.accepts), isNonStrict: false };
  }
  const bound = declared.overloads.filter(({ implementation }) => implementation !== undefined);
  const exact = bound.find(({ id }) => id === overloadId) ?? (bound.length === 1 ? bound[0] : undefined);
  if (exact !== undefined) return { implementation: guarded(declared, exact), isNonStrict: exact.isNonStrict };
  if (bound.length === 0) return undefined;
  return {
    implementation: dynamic(declared, bound, argumentCount),
    isNonStrict: bound.some(({ isNonStrict }) => isNonStrict),
  };
}

/** A singleton answers for receivers that it accepts. */
function traited(
  name: string,
  implementation: Implementation,
  accepts: ((receiver: Value) => boolean) | undefined,
): Implementation {
  if (accepts === undefined) return implementation;
  const refuse = (receiver: Value): CelError =>
    isReceiver(receiver) ? noSuchOverload() : new CelError(`no such overload: ${name}`);
  switch (implementation.style) {
    case 'unary':
      return { style: 'unary', apply: (value) => (accepts(value) ? implementation.apply(value) : refuse(value)) };
    case 'binary':
      return {
        style: 'binary',
        apply: (left, right) => (accepts(left) ? implementation.apply(left, right) : refuse(left)),
      };
    case 'function':
      return implementation;
  }
}

/** Values with member functions refuse with a different message. */
function isReceiver(value: Value): boolean {
  return typeof value === 'string' || value instanceof Duration || value instanceof Timestamp;
}

/** Checks arguments against the signature, which the checker cannot do for dynamic types. */
function guarded(declared: FunctionDeclaration, overload: Overload): Implementation {
  const implementation = overload.implementation as Implementation;
  if (declared.isUnguarded) return implementation;
  const { name } = declared;
  const [first, second] = overload.args;
  const isNonStrict = overload.isNonStrict;
  switch (implementation.style) {
    case 'unary':
      return {
        style: 'unary',
        apply: (value) =>
          (isNonStrict && value instanceof Failure) || fits(first as Type, value)
            ? implementation.apply(value)
            : noOverload(name, [value]),
      };
    case 'binary':
      return {
        style: 'binary',
        apply: (left, right) =>
          fits(first as Type, left) && fits(second as Type, right)
            ? implementation.apply(left, right)
            : noOverload(name, [left, right]),
      };
    case 'function':
      return {
        style: 'function',
        apply: (...args) => (fitsAll(overload, args) ? implementation.apply(...args) : noOverload(name, args)),
      };
  }
}

/** Uses the first signature that matches the arguments. */
function dynamic(declared: FunctionDeclaration, overloads: readonly Overload[], argumentCount: number): Implementation {
  const candidates = overloads.filter(({ args }) => args.length === argumentCount);
  return {
    style: 'function',
    apply(...args) {
      const found = candidates.find((overload) => declared.isUnguarded || fitsAll(overload, args));
      const implementation = found?.implementation;
      if (implementation === undefined) return noOverload(declared.name, args);
      return (implementation.apply as (...args: readonly Value[]) => Value)(...args);
    },
  };
}

function fitsAll(overload: Overload, args: readonly Value[]): boolean {
  return args.length === overload.args.length && args.every((arg, at) => fits(overload.args[at] as Type, arg));
}

/** Whether a value may be passed for the declared type; of lists and maps only the first element is checked. */
function fits(type: Type, value: Value): boolean {
  if (type.wrapped !== undefined) return value === null || fits(type.wrapped, value);
  if (type.isDyn || type.kind === 'param') return true;
  switch (type.kind) {
    case 'string':
      return typeof value === 'string';
    case 'int':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'bool':
      return typeof value === 'boolean';
    case 'list':
      return isList(value) && (listSize(value) === 0 || fits(type.element, listAt(value, 0)));
    case 'map': {
      if (!isMap(value) || typeOf(value).kind !== 'map') return false;
      for (const key of mapKeys(value)) {
        return fits(type.element, key) && fits(type.parameters[1] as Type, mapFind(value, key) as Value);
      }
      return true;
    }
    default:
      return typeOf(value).name === type.name;
  }
}

function noOverload(name: string, args: readonly Value[]): Value {
  let unknown: UnknownValue | undefined;
  for (const arg of args) {
    if (arg instanceof CelError) return arg;
    if (arg instanceof UnknownValue) unknown = unknown === undefined ? arg : unknown.merge(arg);
  }
  return unknown ?? new CelError(`no such overload: ${name}(${args.map((arg) => typeOf(arg).name).join(', ')})`);
}

/** The call as a closure, with its cost. */
export function callEvaluator(
  { implementation, isNonStrict }: Dispatch,
  args: readonly Evaluate[],
  cost: CallCost,
): Evaluate {
  if (args.length === 1 && implementation.style !== 'binary')
    return unaryCall(implementation, args[0] as Evaluate, { cost, isNonStrict });
  if (args.length === 2 && implementation.style === 'binary')
    return binaryCall(implementation.apply, args as readonly [Evaluate, Evaluate], cost);
  return variadicCall(implementation, args, cost);
}

/** A call that is charged before it runs, so that the cost limit keeps it from running long. */
export function prepaidCall(implementation: Implementation, args: readonly Evaluate[], cost: CallCost): Evaluate {
  const apply = implementation.apply as (...args: readonly Value[]) => Value;
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    const failure = values.find((value) => value instanceof Failure);
    frame.charge(typeof cost === 'number' ? cost : cost(values, failure ?? null));
    return failure ?? apply(...values);
  };
}

function unaryCall(
  implementation: Implementation,
  arg: Evaluate,
  { cost, isNonStrict }: { readonly cost: CallCost; readonly isNonStrict: boolean },
): Evaluate {
  const apply = implementation.apply as (value: Value) => Value;
  return (frame) => {
    const value = arg(frame);
    const result = value instanceof Failure && !isNonStrict ? value : apply(value);
    frame.charge(typeof cost === 'number' ? cost : cost([value], result));
    return result;
  };
}

/** Both sides are evaluated, and charged, whatever the left one yields. */
function binaryCall(
  apply: (left: Value, right: Value) => Value,
  [first, second]: readonly [Evaluate, Evaluate],
  cost: CallCost,
): Evaluate {
  return (frame) => {
    const left = first(frame);
    const right = second(frame);
    const result = left instanceof Failure ? left : right instanceof Failure ? right : apply(left, right);
    frame.charge(typeof cost === 'number' ? cost : cost([left, right], result));
    return result;
  };
}

/** Evaluation ends with the first failure; the call itself is then charged only if all arguments were evaluated. */
function variadicCall(implementation: Implementation, args: readonly Evaluate[], cost: CallCost): Evaluate {
  const apply = implementation.apply as (...args: readonly Value[]) => Value;
  return (frame) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(frame);
      values.push(value);
      if (!(value instanceof Failure)) continue;
      if (values.length === args.length) frame.charge(typeof cost === 'number' ? cost : cost(values, value));
      return value;
    }
    const result = apply(...values);
    frame.charge(typeof cost === 'number' ? cost : cost(values, result));
    return result;
  };
}

/** `matches`, `find` or `findAll` with a precompiled pattern. */
export function regexCall(name: string, pattern: Pattern): Implementation {
  const onText = (apply: (text: string, limit: Value | undefined) => Value): Implementation => ({
    style: 'function',
    apply: (text, _, limit) => (typeof text === 'string' ? apply(text, limit) : noSuchOverload()),
  });
  switch (name) {
    case 'matches':
      return onText((text) => pattern.test(text));
    case 'find':
      return onText((text) => pattern.find(text));
    default:
      return onText((text, limit) => {
        if (limit === undefined) return pattern.findAll(text, -1);
        return typeof limit === 'number' || typeof limit === 'bigint'
          ? pattern.findAll(text, Number(limit))
          : noSuchOverload();
      });
  }
}
