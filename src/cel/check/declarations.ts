import type { Type } from '../type-terms/index.ts';
import type { Value } from '../values/index.ts';

/** How a function is evaluated. `unary` and `binary` evaluate all their arguments even when the first failed. */
export type Implementation =
  | { readonly style: 'unary'; readonly apply: (argument: Value) => Value }
  | { readonly style: 'binary'; readonly apply: (left: Value, right: Value) => Value }
  | { readonly style: 'function'; readonly apply: (...args: readonly Value[]) => Value };

/** One signature of a function. */
export interface Overload {
  /** Names the signature in references and cost tables. */
  readonly id: string;
  /** For members, the receiver comes first. */
  readonly args: readonly Type[];
  readonly result: Type;
  readonly isMember: boolean;
  /** Whether it accepts failures as arguments. */
  readonly isNonStrict: boolean;
  readonly implementation: Implementation | undefined;
}

/** One implementation for all signatures, for receivers that pass `accepts`. */
export interface Singleton {
  readonly implementation: Implementation;
  readonly accepts: ((receiver: Value) => boolean) | undefined;
}

/** A function with its signatures, in the order in which they are tried. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly singleton: Singleton | undefined;
  /** Arguments are not checked against the signature at run time; the implementation does. */
  readonly isUnguarded: boolean;
}

/** A variable. */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: Type;
}

interface OverloadOptions {
  readonly isNonStrict?: boolean;
}

/** `name(args)` as a signature. */
export function overload(id: string, args: readonly Type[], result: Type, ...rest: OverloadRest): Overload {
  return makeOverload({ id, args, result, isMember: false }, rest);
}

/** `args[0].name(args[1], …)` as a signature. */
export function member(id: string, args: readonly Type[], result: Type, ...rest: OverloadRest): Overload {
  return makeOverload({ id, args, result, isMember: true }, rest);
}

type OverloadRest = readonly [implementation?: Implementation | Apply, options?: OverloadOptions];

/** A function that is called in the style that suits its number of arguments. */
type Apply = (...args: readonly Value[]) => Value;

function makeOverload(
  signature: Pick<Overload, 'id' | 'args' | 'result' | 'isMember'>,
  [implementation, options = {}]: OverloadRest,
): Overload {
  const style = typeof implementation === 'function' ? inStyle(implementation, signature.args.length) : implementation;
  return { ...signature, implementation: style, isNonStrict: options.isNonStrict === true };
}

function inStyle(apply: Apply, argumentCount: number): Implementation {
  if (argumentCount === 1) return unary(apply);
  return argumentCount === 2 ? binary(apply) : variadic(apply);
}

/** An implementation that takes one argument. */
export function unary(apply: (argument: Value) => Value): Implementation {
  return { style: 'unary', apply };
}

/** An implementation that takes two arguments. */
export function binary(apply: (left: Value, right: Value) => Value): Implementation {
  return { style: 'binary', apply };
}

/** An implementation that takes any number of arguments. */
export function variadic(apply: (...args: readonly Value[]) => Value): Implementation {
  return { style: 'function', apply };
}

/** Declares a function with its overloads, for an environment. */
export function declareFunction(
  name: string,
  overloads: readonly Overload[],
  options: { readonly singleton?: Singleton; readonly isUnguarded?: boolean } = {},
): FunctionDeclaration {
  return { name, overloads, singleton: options.singleton, isUnguarded: options.isUnguarded === true };
}

/** A function with the signatures of both declarations; for a signature in both, the second one wins. */
export function mergeFunctions(first: FunctionDeclaration, second: FunctionDeclaration): FunctionDeclaration {
  const added = new Map(second.overloads.map((each) => [each.id, each]));
  const kept = first.overloads.map((each) => added.get(each.id) ?? each);
  const known = new Set(first.overloads.map(({ id }) => id));
  return {
    name: first.name,
    overloads: [...kept, ...second.overloads.filter(({ id }) => !known.has(id))],
    singleton: second.singleton ?? first.singleton,
    isUnguarded: first.isUnguarded && second.isUnguarded,
  };
}
