import { type FieldError, invalidValue } from '../../api/index.ts';
import {
  admissionEnvironment,
  type AdmissionOptions,
  BOOL,
  compileExpression,
  Composition,
  type Environment,
  type ExpressionResult,
  listOf,
  NULL,
  objectType,
  STRING,
  type Type,
} from '../../cel/index.ts';

/** The purposes of a policy's expressions, and the result types that each allows. */
const USES: Readonly<Record<string, readonly Type[]>> = {
  condition: [BOOL],
  validation: [BOOL],
  message: [STRING],
  annotation: [STRING, NULL],
  applyConfiguration: [objectType('Object')],
  jsonPatch: [listOf(objectType('JSONPatch'))],
};

type Use = 'condition' | 'validation' | 'message' | 'annotation' | 'applyConfiguration' | 'jsonPatch';

export interface PolicyExpressionOptions {
  readonly hasParams: boolean;
  /** Whether `variables` is available. */
  readonly hasVariables: boolean;
}

/** Compiles the expressions of one policy to find errors. Variables must be declared before they are used. */
export class PolicyExpressions {
  readonly #options: PolicyExpressionOptions;
  readonly #composition: Composition;
  readonly #environments = new Map<Use, Environment>();

  constructor(options: PolicyExpressionOptions) {
    this.#options = options;
    this.#composition = new Composition({ hasParams: options.hasParams, hasAuthorizer: true });
  }

  variable(name: string, text: string, field: string): FieldError[] {
    return problemOf(this.#composition.add(name, text), field, text);
  }

  /** `shown` is what the error quotes, if that differs from the text. */
  check(
    use: Use,
    text: string,
    { field, shown = text }: { readonly field: string; readonly shown?: string },
  ): FieldError[] {
    const returnTypes = USES[use] as readonly Type[];
    return problemOf(compileExpression(this.#environmentFor(use), text, { returnTypes }), field, shown);
  }

  #environmentFor(use: Use): Environment {
    let environment = this.#environments.get(use);
    if (environment === undefined) this.#environments.set(use, (environment = this.#make(use)));
    return environment;
  }

  /** Match conditions are checked without variables, and message expressions without an authorizer. */
  #make(use: Use): Environment {
    const { hasParams, hasVariables } = this.#options;
    const options: AdmissionOptions = {
      hasParams,
      hasAuthorizer: use !== 'message',
      hasPatchTypes: use === 'applyConfiguration' || use === 'jsonPatch',
    };
    return hasVariables && use !== 'condition'
      ? this.#composition.environmentWith(options)
      : admissionEnvironment(options);
  }
}

function problemOf(result: ExpressionResult, field: string, text: string): FieldError[] {
  return result.ok ? [] : [invalidValue(field, text, result.problem.detail)];
}
