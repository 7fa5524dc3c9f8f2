import { type ApiObject, quoteGo, StatusError } from '../../api/index.ts';
import { deepEqual, messageOf } from '../../base/index.ts';
import type { MutatingAdmissionPolicy } from '../../api/types/admissionregistration/v1.d.ts';
import { type AdmissionAttributes, type AdmissionPlugin, evaluateWithAccess } from '../../apiserver/index.ts';
import { inVersionOf, versionedAttributes } from '../matching/index.ts';
import { BoundPolicies, type BoundPolicy } from './bound-policies.ts';
import { decodeMutated, hasMergeType, refuseOtherVersion, structOf } from './mutated-object.ts';
import { type CompiledMutation, MutationProblem } from './mutation.ts';
import { MutatingPolicy } from './mutating-policy.ts';
import { beginStep, EvaluationTurns, type Invocation, invocationsFor, namespaceOf } from './policy-invocations.ts';
import { MutatingPolicyMetrics } from './policy-metrics.ts';
import { isExempt, refused } from './policy-refusal.ts';
import type { PolicyBinding, PolicySources } from './policy-sources.ts';
import { ReinvokedPolicies } from './reinvoked-policies.ts';
import type { RequestValues } from './request-values.ts';

type Policy = Required<Pick<MutatingAdmissionPolicy, 'metadata' | 'spec'>> & MutatingAdmissionPolicy;
type Evaluation = Extract<Invocation<Policy, PolicyBinding>, { readonly type: 'evaluate' }>;

const KINDS = { policies: 'mutatingadmissionpolicies', bindings: 'mutatingadmissionpolicybindings' };

/** The plugin `MutatingAdmissionPolicy`: changes to written objects, expressed in CEL. */
export function mutatingAdmissionPolicy(sources: PolicySources): AdmissionPlugin {
  const policies = new BoundPolicies<Policy, PolicyBinding>(KINDS, sources);
  const mutator = new Mutator(sources);
  return {
    name: 'MutatingAdmissionPolicy',
    handles: ({ resource, operation }) => operation !== 'DELETE' && !isExempt(resource),
    mutate(attributes) {
      const candidates = policies.candidates(attributes);
      if (candidates instanceof Promise) return candidates.then((found) => mutator.mutate(attributes, found));
      return candidates.length === 0 ? undefined : mutator.mutate(attributes, candidates);
    },
  };
}

/** Why a policy rejects a request. */
interface Failure {
  readonly policy: Policy;
  readonly binding: PolicyBinding | undefined;
  readonly message: string;
  /** Absent: `Forbidden`. */
  readonly reason?: string;
}

class Mutator {
  readonly #sources: PolicySources;
  readonly #turns = new EvaluationTurns();
  readonly #compiled = new WeakMap<Policy, MutatingPolicy>();
  readonly #reinvoked = new WeakMap<AdmissionAttributes, ReinvokedPolicies>();
  readonly #metrics: MutatingPolicyMetrics;

  constructor(sources: PolicySources) {
    this.#sources = sources;
    this.#metrics = new MutatingPolicyMetrics(sources.metrics, sources.clock);
  }

  async mutate(
    attributes: AdmissionAttributes,
    candidates: readonly BoundPolicy<Policy, PolicyBinding>[],
  ): Promise<void> {
    const invocations = await invocationsFor(attributes, candidates, this.#sources);
    const failures: Failure[] = invocations.filter(({ type }) => type === 'problem') as Failure[];
    const evaluations = invocations.filter((invocation) => invocation.type === 'evaluate');
    if (evaluations.length > 0) failures.push(...(await this.#run(attributes, evaluations)));
    const counting = failures.filter(({ policy }) => policy.spec.failurePolicy !== 'Ignore');
    if (counting.length > 0) throw refusalOf(attributes, counting);
  }

  async #run(attributes: AdmissionAttributes, evaluations: readonly Evaluation[]): Promise<readonly Failure[]> {
    const reinvoked = this.#reinvoked.get(attributes) ?? new ReinvokedPolicies();
    this.#reinvoked.set(attributes, reinvoked);
    if (attributes.isReinvoked) reinvoked.beginSecondPass(attributes.object);
    const namespace = await namespaceOf(attributes, this.#sources);
    const failures: Failure[] = [];
    let isTouched = false;
    for (const [index, evaluation] of evaluations.entries()) {
      await this.#turns.take(index, attributes);
      const policy = this.#compiledOf(evaluation.policy);
      const run = new PolicyRun(evaluation, policy, { ...this.#sources, policyMetrics: this.#metrics });
      const before = attributes.object;
      const step = beginStep(attributes, evaluation);
      if (!(await run.matches(attributes, namespace))) {
        failures.push(...run.failures);
        step?.end('skipped', run.failures[0]?.message ?? 'a match condition is false');
        continue;
      }
      if (attributes.isReinvoked && !reinvoked.runsAgain(run.key)) {
        step?.end('skipped', 'it need not run again');
        continue;
      }
      isTouched = (await run.mutate(attributes, namespace)) || isTouched;
      failures.push(...run.failures);
      step?.changed(before, attributes.object);
      step?.end(run.failures.length === 0 ? undefined : 'failed', run.failures[0]?.message);
      if (attributes.object !== before && !deepEqual(attributes.object, before)) reinvoked.changed();
      if (evaluation.policy.spec.reinvocationPolicy === 'IfNeeded') reinvoked.hasRun(run.key);
    }
    if (isTouched) {
      reinvoked.changed();
      attributes.requestReinvocation();
    }
    reinvoked.endPass(attributes.object);
    return failures;
  }

  /** Compiled when first used, and dropped with the policy. */
  #compiledOf(policy: Policy): MutatingPolicy {
    let compiled = this.#compiled.get(policy);
    if (compiled === undefined) this.#compiled.set(policy, (compiled = new MutatingPolicy(policy)));
    return compiled;
  }
}

interface RunSources extends PolicySources {
  readonly policyMetrics: MutatingPolicyMetrics;
}

/** One evaluation of a policy with one set of parameters for one request. */
class PolicyRun {
  readonly failures: Failure[] = [];
  readonly key: string;
  readonly #evaluation: Evaluation;
  readonly #policy: MutatingPolicy;
  readonly #sources: PolicySources;
  readonly #metrics: MutatingPolicyMetrics;
  readonly #names: { readonly policy: string; readonly binding: string };

  constructor(evaluation: Evaluation, policy: MutatingPolicy, sources: RunSources) {
    this.#evaluation = evaluation;
    this.#metrics = sources.policyMetrics;
    this.#names = { policy: evaluation.policy.metadata.name ?? '', binding: evaluation.binding.metadata.name ?? '' };
    this.#policy = policy;
    this.#sources = sources;
    const { namespace, name } = evaluation.params?.metadata ?? {};
    this.key = [evaluation.policy.metadata.name, evaluation.binding.metadata.name, namespace, name].join('/');
  }

  async matches(attributes: AdmissionAttributes, namespace: ApiObject | undefined): Promise<boolean> {
    if (!this.#policy.hasConditions) return true;
    const values = await this.#values(attributes, namespace);
    const { conditionMetrics } = this.#sources;
    const start = conditionMetrics.now();
    const match = await evaluateWithAccess(
      (oracle) => this.#policy.match(values, oracle),
      attributes,
      this.#sources.authorizer,
    );
    const { operation } = attributes;
    const labels = { name: this.#names.policy, kind: 'policy', type: 'validate', operation } as const;
    conditionMetrics.evaluated(labels, start, match.errors);
    if ('problem' in match) this.#fail(match.problem);
    return 'matches' in match && match.matches;
  }

  /** Applies the mutations one after the other; one that fails leaves the object as it is. True if any was applied. */
  async mutate(attributes: AdmissionAttributes, namespace: ApiObject | undefined): Promise<boolean> {
    let isTouched = false;
    for (const mutation of this.#policy.mutations) {
      if (attributes.object === undefined) continue;
      const start = this.#metrics.now();
      try {
        const values = await this.#values(attributes, namespace);
        const mutated = await this.#mutated(mutation, values);
        attributes.object = await inVersionOf(mutated, attributes.resource, attributes);
        isTouched = true;
        this.#metrics.mutated(this.#names, start);
      } catch (error) {
        this.#metrics.mutated({ ...this.#names, problem: messageOf(error) }, start);
        if (!(error instanceof MutationProblem)) throw error;
        this.#fail(error.message);
      }
    }
    return isTouched;
  }

  async #mutated(mutation: CompiledMutation, values: RequestValues): Promise<ApiObject> {
    const { attributes } = values;
    const object = attributes.object as ApiObject;
    const value = await evaluateWithAccess(
      (oracle) => this.#policy.evaluate(mutation, values, oracle),
      attributes,
      this.#sources.authorizer,
    );
    const struct = hasMergeType(attributes) ? structOf(attributes) : undefined;
    const changed = mutation.apply(value, object, struct);
    const mutated = changed === object ? object : decodeMutated(changed, attributes, mutation.isJsonPatch);
    refuseOtherVersion(attributes);
    return mutated;
  }

  async #values(attributes: AdmissionAttributes, namespace: ApiObject | undefined): Promise<RequestValues> {
    const { resource, params } = this.#evaluation;
    return { attributes: await versionedAttributes(attributes, resource), params, namespace };
  }

  #fail(message: string): void {
    const { policy, binding } = this.#evaluation;
    this.failures.push({ policy, binding, message, reason: 'Invalid' });
  }
}

/** 403 with the first failure as its message, and all of them as causes. The reason may differ from the code's. */
function refusalOf(attributes: AdmissionAttributes, failures: readonly Failure[]): StatusError {
  const messages = failures.map(({ policy, binding, message }) => {
    const name = policy.metadata.name ?? '';
    const who = binding === undefined ? quoteGo(name) : `'${name}' with binding '${binding.metadata.name}'`;
    return `policy ${who} denied request: ${message}`;
  });
  const { status } = refused(attributes, '');
  return new StatusError({
    code: 403,
    reason: failures[0]?.reason ?? 'Forbidden',
    message: messages[0] ?? '',
    details: { ...status.details, causes: messages.map((message) => ({ message })) },
  });
}
