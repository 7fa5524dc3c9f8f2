import { StatusError } from '../../api/index.ts';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '../../api/types/admissionregistration/v1.d.ts';
import { type AdmissionAttributes, type AdmissionPlugin, evaluateWithAccess } from '../../apiserver/index.ts';
import { versionedAttributes } from '../matching/index.ts';
import { BoundPolicies, type BoundPolicy } from './bound-policies.ts';
import { AuditValues, reportFailure } from './policy-audit.ts';
import { beginStep, EvaluationTurns, type Invocation, invocationsFor, namespaceOf } from './policy-invocations.ts';
import { isExempt, refused } from './policy-refusal.ts';
import type { PolicyBinding, PolicySources } from './policy-sources.ts';
import { type EnforcementAction, ValidatingPolicyMetrics } from './policy-metrics.ts';
import type { RequestValues } from './request-values.ts';
import { type Objection, ValidatingPolicy, type Verdict } from './validating-policy.ts';

type Policy = Required<Pick<ValidatingAdmissionPolicy, 'metadata' | 'spec'>> & ValidatingAdmissionPolicy;
type Binding = PolicyBinding & Required<Pick<ValidatingAdmissionPolicyBinding, 'spec'>>;
type Evaluation = Extract<Invocation<Policy, Binding>, { readonly type: 'evaluate' }>;

const KINDS = { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' };

/** The plugin `ValidatingAdmissionPolicy`: rules for requests, expressed in CEL. */
export function validatingAdmissionPolicy(sources: PolicySources): AdmissionPlugin {
  const policies = new BoundPolicies<Policy, Binding>(KINDS, sources);
  const evaluator = new Evaluator(sources);
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: ({ resource }) => !isExempt(resource),
    validate(attributes) {
      const candidates = policies.candidates(attributes);
      if (candidates instanceof Promise) return candidates.then((found) => evaluator.validate(attributes, found));
      return candidates.length === 0 ? undefined : evaluator.validate(attributes, candidates);
    },
  };
}

/** The first objection to a request, the only one that the client sees. */
interface Denial extends Pick<Objection, 'message' | 'reason'> {
  readonly policy: Policy;
  readonly binding: Binding | undefined;
}

const ACTIONS: Readonly<Record<string, EnforcementAction>> = { Deny: 'deny', Audit: 'audit', Warn: 'warn' };

class Evaluator {
  readonly #sources: PolicySources;
  readonly #turns = new EvaluationTurns();
  readonly #compiled = new WeakMap<Policy, ValidatingPolicy>();
  readonly #metrics: ValidatingPolicyMetrics;

  constructor(sources: PolicySources) {
    this.#sources = sources;
    this.#metrics = new ValidatingPolicyMetrics(sources.metrics, sources.clock);
  }

  async validate(attributes: AdmissionAttributes, candidates: readonly BoundPolicy<Policy, Binding>[]): Promise<void> {
    const invocations = await invocationsFor(attributes, candidates, this.#sources);
    if (invocations.length === 0) return;
    const audit = new AuditValues();
    const denials: Denial[] = [];
    for (const [index, invocation] of invocations.entries()) {
      await this.#turns.take(index, attributes);
      if (invocation.type === 'evaluate') denials.push(...(await this.#evaluate(attributes, invocation, audit)));
      else if (invocation.policy.spec.failurePolicy !== 'Ignore') denials.push(invocation);
    }
    audit.publish(attributes);
    if (denials[0] !== undefined) throw refusalOf(attributes, denials[0]);
  }

  async #evaluate(attributes: AdmissionAttributes, evaluation: Evaluation, audit: AuditValues): Promise<Denial[]> {
    const { policy, binding, resource, params } = evaluation;
    const namespace = await namespaceOf(attributes, this.#sources);
    const shown = await versionedAttributes(attributes, resource);
    const values = { attributes: shown, params, namespace };
    const compiled = this.#compiledOf(policy);
    const step = beginStep(attributes, evaluation);
    const start = this.#metrics.now();
    const verdict = await this.#judge(compiled, values, policy);
    const [objection] = [...verdict.objections.map(({ message }) => message), ...verdict.annotationProblems];
    step?.end(objection === undefined ? undefined : (binding.spec.validationActions ?? []).join(', '), objection);
    for (const { key, value } of verdict.annotations) audit.add(policy.metadata.name ?? '', key, value);
    this.#count(evaluation, verdict, start);
    return [
      ...verdict.objections.flatMap((objection) => act(attributes, evaluation, objection) ?? []),
      ...verdict.annotationProblems.map((message) => ({ policy, binding, message })),
    ];
  }

  async #judge(compiled: ValidatingPolicy, values: RequestValues, { metadata }: Policy): Promise<Verdict> {
    const { authorizer, conditionMetrics } = this.#sources;
    const { attributes } = values;
    if (compiled.hasConditions) {
      const start = conditionMetrics.now();
      const match = await evaluateWithAccess((oracle) => compiled.match(values, oracle), attributes, authorizer);
      const { operation } = attributes;
      const labels = { name: metadata.name ?? '', kind: 'policy', type: 'validate', operation } as const;
      conditionMetrics.evaluated(labels, start, match.errors);
      if ('problem' in match || !match.matches) return compiled.unjudged(match);
    }
    return evaluateWithAccess((oracle) => compiled.judge(values, oracle), attributes, authorizer);
  }

  #count({ policy, binding }: Evaluation, verdict: Verdict, start: number): void {
    const { objections, annotationProblems, ignored } = verdict;
    const named = { policy: policy.metadata.name ?? '', binding: binding.metadata.name ?? '' };
    for (const problem of ignored) this.#metrics.checked({ ...named, problem }, 'allow', start);
    for (const { message: problem } of objections) {
      for (const action of binding.spec.validationActions ?? [])
        this.#metrics.checked({ ...named, problem }, ACTIONS[action] ?? 'deny', start);
    }
    for (const problem of annotationProblems) this.#metrics.checked({ ...named, problem }, 'deny', start);
  }

  /** Compiled when first used, and dropped with the policy. */
  #compiledOf(policy: Policy): ValidatingPolicy {
    let compiled = this.#compiled.get(policy);
    if (compiled === undefined) this.#compiled.set(policy, (compiled = new ValidatingPolicy(policy)));
    return compiled;
  }
}

/** Applies a binding's actions to a failed validation; returns the denial if one of them denies the request. */
function act(
  attributes: AdmissionAttributes,
  { policy, binding }: Evaluation,
  objection: Objection,
): Denial | undefined {
  let denial: Denial | undefined;
  for (const action of binding.spec.validationActions ?? []) {
    if (action === 'Deny') denial = { policy, binding, ...objection };
    else if (action === 'Audit') reportFailure(attributes, binding, objection);
    else if (action === 'Warn')
      attributes.warn(`Validation failed for ${naming(policy, binding)}: ${objection.message}`);
  }
  return denial;
}

function naming(policy: Policy, binding: Binding | undefined): string {
  const own = `ValidatingAdmissionPolicy '${policy.metadata.name}'`;
  return binding === undefined ? own : `${own} with binding '${binding.metadata.name}'`;
}

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

function refusalOf(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denial): StatusError {
  const text = `${naming(policy, binding)} denied request: ${message}`;
  const { status } = refused(attributes, text);
  return new StatusError({
    code: CODES[reason ?? ''] ?? 422,
    reason: reason ?? 'Invalid',
    message: status.message ?? text,
    details: { ...status.details, causes: [{ message: text }] },
  });
}
