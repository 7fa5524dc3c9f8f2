import { type FieldError, forbiddenField, invalidValue } from '../../api/index.ts';
import type { ValidationRule } from '../../api/types/apiextensions/v1.d.ts';
import type { Steps } from '../../base/index.ts';
import {
  type CompiledRule,
  compileRule,
  isProblem,
  limits,
  type RuleEnvironment,
  ruleEnvironment,
  structuralShape,
} from '../../cel/index.ts';
import type { CheckWork } from './check-work.ts';
import type { Schema } from './definition.ts';
import type { Ratchets } from './ratchets.ts';
import { type Cardinality, costMessage, type RuleCosts, timesAtMost } from './rule-costs.ts';
import { printedRule } from './unversioned-values.ts';

const LOST_TYPE =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

export interface RulePlace {
  readonly path: string;
  /** Whether the schema is that of a whole object. */
  readonly isResource: boolean;
  readonly cardinality: Cardinality;
  /** The enclosing place whose parts cannot be correlated between two revisions of an object. */
  readonly uncorrelatable: string | undefined;
}

export interface RuleLimits {
  readonly ratchets: Ratchets;
  /** Whether rules may cost what they did before. */
  readonly ignoresCost: boolean;
  readonly costs: RuleCosts;
  readonly work: CheckWork;
}

/** Compiles the rules of a schema, and reports their problems and excessive costs. */
export function* checkExpressions(schema: Schema, place: RulePlace, budget: RuleLimits): Steps<FieldError[]> {
  const { path, isResource } = place;
  budget.work.typeRules(schema);
  yield* budget.work.pause();
  const shape = structuralShape(schema, { isResource });
  const stored = once(() => ruleEnvironment(shape));
  const { newExpressions, storedRules, storedMessages } = budget.ratchets;
  const fresh = once(() => ruleEnvironment(shape, { version: newExpressions }));
  const rules = schema['x-kubernetes-validations'] ?? [];
  const errors: FieldError[] = [];
  for (const [index, rule] of rules.entries()) {
    budget.work.compileRule(rule);
    yield* budget.work.pause();
    const own = storedRules.has(rule.rule) ? stored() : fresh();
    const messages = storedMessages.has(rule.messageExpression ?? '') ? stored() : fresh();
    const at = `${path}.x-kubernetes-validations`;
    if (own === undefined || messages === undefined)
      return [{ reason: 'InternalError', field: at, detail: LOST_TYPE } as const];
    errors.push(...new CompiledCheck(rule, `${at}[${index}]`, { place, budget }).check(own, messages));
  }
  return errors;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

class CompiledCheck {
  readonly #rule: ValidationRule;
  readonly #path: string;
  readonly #place: RulePlace;
  readonly #budget: RuleLimits;

  constructor(rule: ValidationRule, path: string, { place, budget }: { place: RulePlace; budget: RuleLimits }) {
    this.#rule = rule;
    this.#path = path;
    this.#place = place;
    this.#budget = budget;
  }

  check(own: RuleEnvironment, messages: RuleEnvironment): FieldError[] {
    const compiled = compileRule(this.#rule, own, messages);
    const isBroken = compiled === undefined || isProblem(compiled);
    const errors = this.#checkCost(isBroken ? 0n : compiled.maxCost, own);
    if (compiled !== undefined && isProblem(compiled))
      errors.push(invalidValue(`${this.#path}.rule`, printedRule(this.#rule), compiled.detail));
    if (!isBroken) errors.push(...this.#checkMessage(compiled));
    return [...errors, ...this.#checkOldSelf(!isBroken && compiled.usesOldSelf)];
  }

  #checkCost(cost: bigint, { maxCardinality }: RuleEnvironment): FieldError[] {
    const { ignoresCost, costs } = this.#budget;
    const path = `${this.#path}.rule`;
    const estimate = timesAtMost(cost, this.#place.cardinality ?? maxCardinality);
    const isTooHigh = !ignoresCost && estimate > BigInt(limits.ruleEstimate);
    costs.add(path, estimate);
    return isTooHigh ? [forbiddenField(path, costMessage('estimated rule cost', estimate, limits.ruleEstimate))] : [];
  }

  #checkMessage({ message }: CompiledRule): FieldError[] {
    const path = `${this.#path}.messageExpression`;
    if (message === undefined) return [];
    if (isProblem(message)) return [invalidValue(path, printedRule(this.#rule), message.detail)];
    const { ignoresCost, costs } = this.#budget;
    costs.add(path, message.maxCost);
    if (ignoresCost || message.maxCost <= BigInt(limits.ruleEstimate)) return [];
    return [
      forbiddenField(path, costMessage('estimated messageExpression cost', message.maxCost, limits.ruleEstimate)),
    ];
  }

  #checkOldSelf(usesOldSelf: boolean): FieldError[] {
    const { rule, optionalOldSelf } = this.#rule;
    const { uncorrelatable } = this.#place;
    if (usesOldSelf) {
      if (uncorrelatable === undefined) return [];
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      return [invalidValue(`${this.#path}.rule`, rule, detail)];
    }
    if (optionalOldSelf === undefined) return [];
    const detail = 'may not be set if oldSelf is not used in rule';
    return [invalidValue(`${this.#path}.optionalOldSelf`, optionalOldSelf, detail)];
  }
}
