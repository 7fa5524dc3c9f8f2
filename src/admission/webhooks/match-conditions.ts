import {
  admissionEnvironment,
  AuthorizerValue,
  BOOL,
  compileExpression,
  type Condition,
  type Environment,
  evaluateConditions,
  limits,
  ResourceCheck,
} from '../../cel/index.ts';
import { type AdmissionAttributes, type Authorizer, evaluateWithAccess } from '../../apiserver/index.ts';
import { admissionRequest } from './admission-request.ts';

interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The outcome of a request's conditions; `error` is left to the failure policy. */
export type ConditionsVerdict =
  | { readonly type: 'match' }
  | { readonly type: 'mismatch'; readonly errors: number }
  | { readonly type: 'error'; readonly message: string; readonly errors: number };

/** The match conditions of a webhook; compiled when first evaluated. */
export class MatchConditions {
  readonly #conditions: readonly MatchCondition[];
  readonly #authorizer: Authorizer;
  #compiled: readonly Condition[] | undefined;

  constructor(conditions: readonly MatchCondition[], authorizer: Authorizer) {
    this.#conditions = conditions;
    this.#authorizer = authorizer;
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** Any condition that is false decides, even if others failed. */
  judge(attributes: AdmissionAttributes): ConditionsVerdict | Promise<ConditionsVerdict> {
    const conditions = (this.#compiled ??= this.#compile());
    const { object = null, old: oldObject = null, user, signal } = attributes;
    const request = admissionRequest(attributes);
    return evaluateWithAccess<ConditionsVerdict>(
      (oracle) => {
        const authorizer = new AuthorizerValue(oracle);
        const { group, plural: resource } = attributes.resource;
        const { subresource, namespace, name } = attributes;
        const bindings = {
          object,
          oldObject,
          request,
          namespaceObject: null,
          authorizer,
          'authorizer.requestResource': new ResourceCheck(authorizer, {
            group,
            resource,
            subresource,
            namespace,
            name,
          }),
        };
        const result = evaluateConditions(conditions, bindings, limits.matchConditionsCost);
        if (!result.ok) return { type: 'error', message: result.problem.detail, errors: 0 };
        const problems: string[] = [];
        for (const answer of result.answers) {
          if (!answer.ok) problems.push(answer.problem.detail);
          else if (answer.value === false) return { type: 'mismatch', errors: problems.length };
        }
        if (problems.length === 0) return { type: 'match' };
        const texts = [...new Set(problems)];
        const message = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
        return { type: 'error', message, errors: problems.length };
      },
      { user, signal },
      this.#authorizer,
    );
  }

  #compile(): readonly Condition[] {
    const environment = (shared ??= admissionEnvironment({ hasAuthorizer: true }));
    return this.#conditions.map(({ expression: text }) => ({
      text,
      result: compileExpression(environment, text, { returnTypes: [BOOL] }),
    }));
  }
}

let shared: Environment | undefined;
