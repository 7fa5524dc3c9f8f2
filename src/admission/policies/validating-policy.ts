import { trimGo } from '../../api/index.ts';
import type { Validation, ValidatingAdmissionPolicy } from '../../api/types/admissionregistration/v1.d.ts';
import {
  type AccessOracle,
  BOOL,
  type ComposedBindings,
  type Composition,
  type Condition,
  type ConditionAnswer,
  evaluateConditions,
  formatType,
  limits,
  NULL,
  STRING,
  typeOf,
} from '../../cel/index.ts';
import { composeVariables, condition, type ConditionMatch, PolicyConditions } from './policy-expressions.ts';
import { policyBindings, type RequestValues } from './request-values.ts';

/** One objection of a policy to a request. */
export interface Objection {
  /** Index of the validation in the policy; 0 when all of them failed together. */
  readonly index: number;
  readonly message: string;
  /** From the validation; absent: `Invalid`. */
  readonly reason?: string;
}

/** A policy's verdict on a request with one set of parameters. */
export interface Verdict {
  readonly objections: readonly Objection[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Annotations that could not be evaluated; they refuse the request whatever the binding says. */
  readonly annotationProblems: readonly string[];
  /** Evaluation failures that the failure policy ignores. */
  readonly ignored: readonly string[];
}

const ADMITTED: Verdict = { objections: [], annotations: [], annotationProblems: [], ignored: [] };

/** A ValidatingAdmissionPolicy with its expressions compiled. */
export class ValidatingPolicy {
  readonly #spec: NonNullable<ValidatingAdmissionPolicy['spec']>;
  readonly #composition: Composition;
  readonly #conditions: PolicyConditions;
  readonly #validations: readonly Condition[];
  /** Keyed by the index of their validation; only those that exist. */
  readonly #messages: ReadonlyMap<number, Condition>;
  readonly #annotations: readonly Condition[];

  constructor({ spec = {} }: ValidatingAdmissionPolicy) {
    this.#spec = spec;
    const { validations = [], auditAnnotations = [], matchConditions = [] } = spec;
    const hasParams = spec.paramKind !== undefined;
    const composition = composeVariables(spec.variables ?? [], hasParams);
    const { environment } = composition;
    const forMessages = composition.environmentWith({ hasParams });
    this.#composition = composition;
    this.#conditions = new PolicyConditions(matchConditions, composition);
    this.#validations = validations.map(({ expression }) => condition(environment, expression, [BOOL]));
    this.#messages = new Map(
      validations.flatMap(({ messageExpression = '' }, index) =>
        messageExpression === '' ? [] : [[index, condition(forMessages, messageExpression, [STRING])] as const],
      ),
    );
    this.#annotations = auditAnnotations.map(({ valueExpression }) =>
      condition(environment, valueExpression, [STRING, NULL]),
    );
  }

  get hasConditions(): boolean {
    return !this.#conditions.isEmpty;
  }

  /** Whether the policy applies to a request. */
  match(values: RequestValues, oracle: AccessOracle): ConditionMatch {
    return this.#conditions.match(values, oracle);
  }

  /** The verdict on a request for which that is unknown, or to which the policy does not apply. */
  unjudged(match: ConditionMatch): Verdict {
    return 'problem' in match && this.#refusesOnError ? this.#failed(match.problem) : ADMITTED;
  }

  judge(values: RequestValues, oracle: AccessOracle): Verdict {
    const outcome = evaluateConditions(this.#validations, this.#bind(values, oracle), limits.objectCost);
    if (!outcome.ok) return this.#failed(outcome.problem.detail);
    const messages = this.#evaluateMessages(values, outcome.remainingBudget);
    const objections = outcome.answers.flatMap((answer, index) => this.#objection(answer, index, messages) ?? []);
    const ignored = this.#refusesOnError ? [] : outcome.answers.flatMap((answer) => problemOf(answer, messages));
    return { ...this.#annotated(objections, values), ...(ignored.length === 0 ? {} : { ignored }) };
  }

  /** The variables; each group of expressions evaluates them separately. */
  #bind(values: RequestValues, oracle?: AccessOracle): ComposedBindings {
    return this.#composition.bind(policyBindings(values, oracle));
  }

  get #refusesOnError(): boolean {
    return this.#spec.failurePolicy !== 'Ignore';
  }

  #failed(message: string): Verdict {
    return this.#refusesOnError
      ? { ...ADMITTED, objections: [{ index: 0, message }] }
      : { ...ADMITTED, ignored: [message] };
  }

  #evaluateMessages(values: RequestValues, budget: number): ReadonlyMap<number, ConditionAnswer> | string {
    if (this.#messages.size === 0) return new Map();
    const outcome = evaluateConditions([...this.#messages.values()], this.#bind(values), budget);
    if (!outcome.ok) return outcome.problem.detail;
    return new Map([...this.#messages.keys()].map((index, at) => [index, outcome.answers[at] as ConditionAnswer]));
  }

  #objection(
    answer: ConditionAnswer,
    index: number,
    messages: ReadonlyMap<number, ConditionAnswer> | string,
  ): Objection | undefined {
    const onError = (message: string): Objection | undefined => (this.#refusesOnError ? { index, message } : undefined);
    if (!answer.ok) return onError(answer.problem.detail);
    if (typeof messages === 'string') return onError(`failed messageExpression: ${messages}`);
    if (answer.value === true) return undefined;
    const validation = this.#spec.validations?.[index] as Validation;
    return { index, message: messageOf(validation, messages.get(index)), reason: validation.reason ?? 'Invalid' };
  }

  #annotated(objections: readonly Objection[], values: RequestValues): Verdict {
    const { auditAnnotations = [] } = this.#spec;
    if (auditAnnotations.length === 0) return { ...ADMITTED, objections };
    const outcome = evaluateConditions(this.#annotations, this.#bind(values), limits.objectCost);
    if (!outcome.ok) return this.#failed(outcome.problem.detail);
    const annotations: { key: string; value: string }[] = [];
    const annotationProblems: string[] = [];
    for (const [index, { key, valueExpression }] of auditAnnotations.entries()) {
      const answer = outcome.answers[index] as ConditionAnswer;
      if (!answer.ok) {
        if (this.#refusesOnError) annotationProblems.push(answer.problem.detail);
      } else if (typeof answer.value === 'string') {
        const value = trimGo(answer.value);
        if (value !== '') annotations.push({ key, value });
      } else if (answer.value !== null) {
        annotationProblems.push(
          `valueExpression '${valueExpression}' resulted in unsupported return type: ${formatType(typeOf(answer.value))}. ` +
            'Return type must be either string or null.',
        );
      }
    }
    return { objections, annotations, annotationProblems, ignored: [] };
  }
}

/** The message of a failed validation: from its messageExpression, its message, or its expression. */
function messageOf({ expression, message = '' }: Validation, expressed: ConditionAnswer | undefined): string {
  const own = expressed?.ok === true && typeof expressed.value === 'string' ? trimGo(expressed.value) : '';
  const isUsable = !own.includes('\n') && Buffer.byteLength(own) <= limits.messageBytes;
  return (isUsable ? own : '') || trimGo(message) || `failed expression: ${trimGo(expression)}`;
}

function problemOf(answer: ConditionAnswer, messages: ReadonlyMap<number, ConditionAnswer> | string): string[] {
  if (!answer.ok) return [answer.problem.detail];
  return typeof messages === 'string' ? [messages] : [];
}
