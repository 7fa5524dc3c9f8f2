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
import { INT, LIST, listOf, MAP, mapOf, type Type, typeOfType, typeParameter } from './type-terms/index.ts';

/** A variable of an environment. */
export interface Variable extends VariableDeclaration {
  /** Set when the binding is raw JSON that a schema describes. */
  readonly shape?: Shape;
}

/** What makes up an environment, or is added to one. */
export interface EnvironmentParts {
  readonly libraries?: readonly Library[];
  readonly variables?: readonly Variable[];
  /** Consulted before the existing ones. */
  readonly types?: readonly TypeProvider[];
  readonly validators?: readonly Validator[];
  /** Whether `.?`, `[?]` and `{?…}` may be written. */
  readonly hasOptionals?: boolean;
  /** Whether ints, uints and doubles may be compared with each other. */
  readonly comparesNumberTypes?: boolean;
  /** The contents of the environment being extended; set by `extend`. */
  readonly base?: Contents;
}

/** A checked expression, or the issues that prevent it. */
export type Compiled =
  | { readonly ok: true; readonly expression: CheckedExpression }
  | { readonly ok: false; readonly issues: Issues };

/** The names, types and functions that expressions may use. Immutable. */
export class Environment implements Declarations {
  readonly types: TypeProvider;
  readonly #contents: Contents;
  readonly #disabled: ReadonlySet<string>;
  readonly #syntax: Syntax;

  constructor(parts: EnvironmentParts) {
    this.#contents = addTo(EMPTY, parts);
    const { providers, comparesNumberTypes, macros, hasOptionals } = this.#contents;
    this.types = new ProviderChain(providers);
    this.#disabled = comparesNumberTypes ? new Set() : crossTypeComparisons();
    this.#syntax = { macros: new MacroTable(macros), hasOptionals };
  }

  /** This environment with more in it. */
  extend(parts: EnvironmentParts): Environment {
    return new Environment({ ...parts, base: this.#contents });
  }

  /** Parses and checks an expression. */
  compile(text: string): Compiled {
    const source = new Source(text);
    const parsed = parse(source, this.#syntax);
    if (!parsed.ok) return parsed;
    const issues = new Checker(source, this).check(parsed.expr);
    if (!issues.isEmpty) return { ok: false, issues };
    const found = new Issues(source);
    for (const validate of this.#contents.validators) validate(parsed.expr, found);
    if (!found.isEmpty) return { ok: false, issues: found };
    return { ok: true, expression: new CheckedExpression(parsed.expr, this) };
  }

  findIdent(name: string): Declared | undefined {
    const variable = this.#contents.variables.get(name);
    if (variable !== undefined) return { name, type: variable.type };
    const type = this.#contents.typeNames.get(name);
    if (type !== undefined) return { name, type: typeOfType(generic(type)), constant: type };
    const found = this.types.findType(name);
    const constant = this.types.findConstant?.(name);
    if (found !== undefined) return { name, type: typeOfType(found), constant };
    return constant === undefined ? undefined : { name, type: INT, constant };
  }

  findFunction(name: string): FunctionDeclaration | undefined {
    return this.#contents.functions.get(name);
  }

  isDisabled(overloadId: string): boolean {
    return this.#disabled.has(overloadId);
  }

  shapeOf(variable: string): Shape | undefined {
    return this.#contents.variables.get(variable)?.shape;
  }

  /** All functions, for documentation and tests. */
  functions(): Iterable<FunctionDeclaration> {
    return this.#contents.functions.values();
  }
}

/** The names `list` and `map` stand for lists and maps of any element type. */
function generic(type: Type): Type {
  const [a, b] = [typeParameter('A'), typeParameter('B')];
  return type === LIST ? listOf(a) : type === MAP ? mapOf(a, b) : type;
}

/** An environment's parts, brought together. */
interface Contents {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly macros: readonly Macro[];
  readonly variables: ReadonlyMap<string, Variable>;
  readonly typeNames: ReadonlyMap<string, Type>;
  readonly providers: readonly TypeProvider[];
  readonly validators: readonly Validator[];
  readonly hasOptionals: boolean;
  readonly comparesNumberTypes: boolean;
}

const EMPTY: Contents = {
  functions: new Map(),
  macros: [],
  variables: new Map(),
  typeNames: new Map(),
  providers: [],
  validators: [],
  hasOptionals: false,
  comparesNumberTypes: false,
};

function addTo(empty: Contents, parts: EnvironmentParts): Contents {
  const base = parts.base ?? empty;
  const { libraries = [], variables = [], types = [], validators = [] } = parts;
  const named = libraries.flatMap((library) => library.types ?? []);
  return {
    functions: collectFunctions(base.functions, libraries),
    macros: [...base.macros, ...libraries.flatMap(({ macros = [] }) => macros)],
    variables: new Map([...base.variables, ...variables.map((each) => [each.name, each] as const)]),
    typeNames: new Map([...base.typeNames, ...named.map((type) => [type.name, type] as const)]),
    providers: [...types, ...base.providers],
    validators: [...base.validators, ...validators],
    hasOptionals: parts.hasOptionals ?? base.hasOptionals,
    comparesNumberTypes: parts.comparesNumberTypes ?? base.comparesNumberTypes,
  };
}

function collectFunctions(base: Contents['functions'], libraries: readonly Library[]): Contents['functions'] {
  if (libraries.length === 0) return base;
  const functions = new Map(base);
  for (const { functions: added = [] } of libraries) {
    for (const declared of added) {
      const known = functions.get(declared.name);
      functions.set(declared.name, known === undefined ? declared : mergeFunctions(known, declared));
    }
  }
  return functions;
}
