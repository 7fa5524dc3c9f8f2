import { Checker } from './check/checker.ts';
import type { FunctionDeclaration, VariableDeclaration } from './check/declarations.ts';
import { mergeFunctions } from './check/declarations.ts';
import type { Declarations, Declared } from './check/declared.ts';
import { ProviderChain, type TypeProvider } from './check/type-provider.ts';
import type { Validator } from './check/validators.ts';
import { CheckedExpression } from './checked-expression.ts';
import type { Shape } from './evaluate/shape.ts';
import type { Library } from './library/library.ts';
import { crossTypeComparisons } from './library/standard/logic.ts';
import { Issues, type Macro, MacroTable, parse, Source, type Syntax } from './syntax/index.ts';
import { type Type, typeOfType } from './types/index.ts';

/** A variable of an environment. */
export interface Variable extends VariableDeclaration {
  /** Set when the binding is raw JSON that a schema describes. */
  readonly shape?: Shape;
}

/** What makes up an environment, or is added to one. */
export interface EnvironmentParts {
  readonly libraries?: readonly Library[];
  readonly variables?: readonly Variable[];
  /** Asked before the ones that are there already. */
  readonly types?: readonly TypeProvider[];
  readonly validators?: readonly Validator[];
  /** Whether `.?`, `[?]` and `{?…}` may be written. */
  readonly hasOptionals?: boolean;
  /** Whether ints, uints and doubles may be compared with each other. */
  readonly comparesNumberTypes?: boolean;
  /** Whether the elements of a list or map literal must have one type. */
  readonly hasHomogeneousLiterals?: boolean;
}

export type Compiled =
  | { readonly ok: true; readonly expression: CheckedExpression }
  | { readonly ok: false; readonly issues: Issues };

/** The names, types and functions that expressions may use. Immutable. */
export class Environment implements Declarations {
  readonly types: TypeProvider;
  readonly hasHomogeneousLiterals: boolean;
  readonly #parts: Required<Omit<EnvironmentParts, 'libraries' | 'variables'>>;
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #macros: readonly Macro[];
  readonly #variables: ReadonlyMap<string, Variable>;
  readonly #typeNames: ReadonlyMap<string, Type>;
  readonly #disabled: ReadonlySet<string>;
  readonly #syntax: Syntax;

  constructor(parts: EnvironmentParts, base?: Environment) {
    const before = base === undefined ? undefined : base.#parts;
    this.#parts = {
      types: [...(parts.types ?? []), ...(before?.types ?? [])],
      validators: [...(before?.validators ?? []), ...(parts.validators ?? [])],
      hasOptionals: parts.hasOptionals ?? before?.hasOptionals ?? false,
      comparesNumberTypes: parts.comparesNumberTypes ?? before?.comparesNumberTypes ?? false,
      hasHomogeneousLiterals: parts.hasHomogeneousLiterals ?? before?.hasHomogeneousLiterals ?? false,
    };
    const libraries = parts.libraries ?? [];
    this.types = new ProviderChain(this.#parts.types);
    this.hasHomogeneousLiterals = this.#parts.hasHomogeneousLiterals;
    this.#functions = collectFunctions(base?.#functions, libraries);
    this.#macros = [...(base?.#macros ?? []), ...libraries.flatMap(({ macros = [] }) => macros)];
    this.#variables = new Map([
      ...(base?.#variables ?? []),
      ...(parts.variables ?? []).map((each) => [each.name, each] as const),
    ]);
    const named = libraries.flatMap(({ types = [] }) => types);
    this.#typeNames = new Map([...(base?.#typeNames ?? []), ...named.map((type) => [type.name, type] as const)]);
    this.#disabled = this.#parts.comparesNumberTypes ? new Set() : crossTypeComparisons();
    this.#syntax = { macros: new MacroTable(this.#macros), hasOptionals: this.#parts.hasOptionals };
  }

  /** This environment with more in it. */
  extend(parts: EnvironmentParts): Environment {
    return new Environment(parts, this);
  }

  /** Parses and checks an expression. */
  compile(text: string): Compiled {
    const source = new Source(text);
    const parsed = parse(source, this.#syntax);
    if (!parsed.ok) return parsed;
    const issues = new Checker(source, this).check(parsed.expr);
    if (!issues.isEmpty) return { ok: false, issues };
    const found = new Issues(source);
    for (const validate of this.#parts.validators) validate(parsed.expr, found);
    if (!found.isEmpty) return { ok: false, issues: found };
    return { ok: true, expression: new CheckedExpression(parsed.expr, this) };
  }

  findIdent(name: string): Declared | undefined {
    const variable = this.#variables.get(name);
    if (variable !== undefined) return { name, type: variable.type };
    const type = this.#typeNames.get(name);
    if (type !== undefined) return { name, type: typeOfType(type), constant: type };
    const found = this.types.findType(name);
    return found === undefined ? undefined : { name, type: typeOfType(found), constant: found };
  }

  findFunction(name: string): FunctionDeclaration | undefined {
    return this.#functions.get(name);
  }

  isDisabled(overloadId: string): boolean {
    return this.#disabled.has(overloadId);
  }

  isWellKnown(type: Type): boolean {
    return type.kind !== 'struct' && this.types.findType(type.name) !== undefined;
  }

  shapeOf(variable: string): Shape | undefined {
    return this.#variables.get(variable)?.shape;
  }

  /** All functions, for documentation and tests. */
  functions(): Iterable<FunctionDeclaration> {
    return this.#functions.values();
  }
}

function collectFunctions(
  base: ReadonlyMap<string, FunctionDeclaration> | undefined,
  libraries: readonly Library[],
): ReadonlyMap<string, FunctionDeclaration> {
  if (libraries.length === 0 && base !== undefined) return base;
  const functions = new Map(base);
  for (const { functions: added = [] } of libraries) {
    for (const declared of added) {
      const known = functions.get(declared.name);
      functions.set(declared.name, known === undefined ? declared : mergeFunctions(known, declared));
    }
  }
  return functions;
}
