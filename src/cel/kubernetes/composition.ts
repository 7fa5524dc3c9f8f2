import type { Environment } from '../environment.ts';
import type { Bindings } from '../evaluate/frame.ts';
import { ANY } from '../type-terms/index.ts';
import { CelError, type Value } from '../values/index.ts';
import { VariableTypes } from './admission-types.ts';
import { admissionEnvironment, type AdmissionOptions } from './admission.ts';
import { compileExpression, type ExpressionResult } from './compile-expression.ts';
import { LazyMap } from './lazy-map.ts';

/** The variables of an admission policy. Each may use those before it, and is evaluated only when it is read. */
export class Composition {
  readonly #options: AdmissionOptions;
  readonly #types = new VariableTypes();
  readonly #variables = new Map<string, ExpressionResult>();
  #environment: Environment | undefined;

  constructor(options: AdmissionOptions = {}) {
    this.#options = options;
  }

  /** The environment for expressions that follow the variables added so far. */
  get environment(): Environment {
    return (this.#environment ??= this.environmentWith(this.#options));
  }

  /** The same with other options than the variables have. */
  environmentWith(options: AdmissionOptions): Environment {
    return admissionEnvironment({ ...options, variables: this.#types });
  }

  /** Adds a variable, even if its expression is invalid: then reading it is an error. */
  add(name: string, text: string): ExpressionResult {
    const result = compileExpression(this.environment, text, { returnTypes: [ANY] });
    this.#variables.set(name, result);
    this.#types.add(name, result.ok ? result.expression.type : undefined);
    return result;
  }

  /** The bindings plus `variables`. */
  bind(bindings: Bindings): ComposedBindings {
    return new ComposedBindings(bindings, this.#variables);
  }
}

/** Bindings with the variables of a policy, for the evaluations of one request. */
export class ComposedBindings {
  readonly bindings: Bindings;
  #cost = 0;

  constructor(bindings: Bindings, variables: ReadonlyMap<string, ExpressionResult>) {
    const makers = [...variables].map(([name, result]) => [name, () => this.#evaluate(name, result)] as const);
    this.bindings = { ...bindings, variables: new LazyMap('kubernetes.variables', new Map(makers)) };
  }

  /** The cost of evaluating variables since the last call. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #evaluate(name: string, result: ExpressionResult): Value {
    const variable = `composited variable ${JSON.stringify(name)}`;
    if (!result.ok) return new CelError(`${variable} fails to compile: ${result.problem.detail}`);
    const evaluation = result.program.evaluate(this.bindings);
    this.#cost += evaluation.cost;
    return evaluation.ok ? evaluation.value : new CelError(`${variable} fails to evaluate: ${evaluation.error}`);
  }
}
