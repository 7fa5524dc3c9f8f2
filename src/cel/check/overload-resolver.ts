import { type CallExpr, type Issues, Operator } from '../syntax/index.ts';
import {
  BOOL,
  DYN,
  ERROR,
  formatSignature,
  formatType,
  type Substitutions,
  type Type,
  typeParameter,
} from '../type-terms/index.ts';
import { Substitutions as FreshSubstitutions } from '../type-terms/index.ts';
import type { FunctionDeclaration, Overload } from './declarations.ts';
import type { Declarations } from './declared.ts';

/** What the resolver shares with the checker. */
interface Context {
  readonly bindings: Substitutions;
  readonly issues: Issues;
  freshType(): Type;
}

/** Finds the signatures of a function that fit a call. */
export class OverloadResolver {
  readonly #declared: Declarations;
  readonly #context: Context;
  #hasDisabled = true;

  constructor(declared: Declarations, context: Context) {
    this.#declared = declared;
    this.#context = context;
  }

  /** From the first loop on, Kubernetes ignores which signatures are disabled. */
  enableAll(): void {
    this.#hasDisabled = false;
  }

  /** Returns the type of a call whose arguments have been checked, and records the matching signatures in it. */
  resolve(call: CallExpr, declared: FunctionDeclaration): Type {
    if (declared.name === Operator.and || declared.name === Operator.or) return this.#resolveLogic(call, declared);
    const parts = call.target === undefined ? call.args : [call.target, ...call.args];
    const types = parts.map((part) => part.type as Type);
    const { bindings, issues } = this.#context;
    const fitting: string[] = [];
    let result: Type | undefined;
    for (const overload of declared.overloads) {
      if (overload.isMember !== (call.target !== undefined)) continue;
      if (this.#hasDisabled && this.#declared.isDisabled(overload.id)) continue;
      const { args, returned } = this.#instantiate(overload);
      if (!bindings.unifyAll(types, args)) continue;
      fitting.push(overload.id);
      const type = bindings.apply(returned, false);
      if (result === undefined) result = type;
      else if (!result.isDyn && !type.isExactly(result)) result = DYN;
    }
    if (result === undefined) {
      const given = types.map((type) => bindings.apply(type, true));
      const signature = formatSignature(given, call.target !== undefined);
      issues.report(call.offset, `found no matching overload for '${declared.name}' applied to '${signature}'`);
      return ERROR;
    }
    call.overloads = fitting;
    return result;
  }

  /** `&&` and `||`: each operand is checked separately, for a better message. */
  #resolveLogic(call: CallExpr, declared: FunctionDeclaration): Type {
    const { bindings, issues } = this.#context;
    let isFine = true;
    for (const arg of call.args) {
      if (bindings.unify(arg.type as Type, BOOL)) continue;
      issues.report(arg.offset, `expected type 'bool' but found '${formatType(arg.type as Type)}'`);
      isFine = false;
    }
    call.overloads = declared.overloads.map(({ id }) => id);
    return isFine ? BOOL : ERROR;
  }

  /** The signature with fresh type parameters for this call. */
  #instantiate({ args, result }: Overload): { readonly args: readonly Type[]; readonly returned: Type } {
    const names = new Set<string>();
    for (const type of [...args, result]) collectParameters(type, names);
    if (names.size === 0) return { args, returned: result };
    const fresh = new FreshSubstitutions();
    for (const name of names) fresh.bind(typeParameter(name), this.#context.freshType());
    return { args: args.map((arg) => fresh.apply(arg, false)), returned: fresh.apply(result, false) };
  }
}

function collectParameters(type: Type, names: Set<string>): void {
  if (type.kind === 'param') names.add(type.name);
  for (const parameter of type.parameters) collectParameters(parameter, names);
}
