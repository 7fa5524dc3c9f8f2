import type { MutatingAdmissionPolicy } from '../../api/types/admissionregistration/v1.d.ts';
import type { AccessOracle, Composition, Value } from '../../cel/index.ts';
import { CompiledMutation } from './mutation.ts';
import { composeVariables, type ConditionMatch, PolicyConditions } from './policy-expressions.ts';
import { policyBindings, type RequestValues } from './request-values.ts';

/** A MutatingAdmissionPolicy with its expressions compiled. */
export class MutatingPolicy {
  readonly mutations: readonly CompiledMutation[];
  readonly #composition: Composition;
  readonly #conditions: PolicyConditions;

  constructor({ spec = {} }: MutatingAdmissionPolicy) {
    const hasParams = spec.paramKind !== undefined;
    this.#composition = composeVariables(spec.variables ?? [], hasParams);
    this.#conditions = new PolicyConditions(spec.matchConditions ?? [], this.#composition);
    const environment = this.#composition.environmentWith({ hasParams, hasAuthorizer: true, hasPatchTypes: true });
    this.mutations = (spec.mutations ?? []).map((mutation) => new CompiledMutation(mutation, environment));
  }

  get hasConditions(): boolean {
    return !this.#conditions.isEmpty;
  }

  match(values: RequestValues, oracle: AccessOracle): ConditionMatch {
    return this.#conditions.match(values, oracle);
  }

  /** The result of a mutation's expression; variables are evaluated again for each, since the object has changed. */
  evaluate(mutation: CompiledMutation, values: RequestValues, oracle: AccessOracle): Value {
    return mutation.evaluate(this.#composition.bind(policyBindings(values, oracle)));
  }
}
