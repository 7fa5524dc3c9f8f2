import { fieldErrorText, forbidden, internalError, invalid, quoteGo } from '../../../api/index.ts';
import type { Namespace, Pod } from '../../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../apiserver/index.ts';
import { deepEqual, MetricRegistry, Turns } from '../../../base/index.ts';
import type { Whole } from '../../kind.ts';
import type { AdmissionParts } from '../admission-parts.ts';
import { together } from '../refusal.ts';
import { whenThere } from '../when-there.ts';
import type { SecuredPod } from './check.ts';
import { detailsOf, PodEvaluator } from './evaluate.ts';
import { warningsAbout } from './existing-pods.ts';
import {
  areEquivalent,
  areSame,
  compareLevels,
  describeLevel,
  isPrivileged,
  LABEL_PREFIX,
  type LevelVersion,
  type Mode,
  MODES,
  type Policy,
  policyOf,
  type PolicyOfLabels,
} from './policy.ts';
import { DEFAULT_POD_SECURITY, type PodSecurityConfiguration } from './pod-security-configuration.ts';
import { PodSecurityMetrics } from './pod-security-metrics.ts';
import { securedPodOf, subjectOf } from './secured-pod.ts';

type FoundNamespace = Whole<Namespace> | undefined;
type Parts = Pick<AdmissionParts, 'objects' | 'clock' | 'metrics'>;

/**
 * Enforces the security standard in the labels of a namespace: violations by pods are refused, sent to the client as
 * warnings or recorded for audit. Controllers' pod templates only get warnings and audit records.
 */
export function podSecurity(parts: Parts, configuration = DEFAULT_POD_SECURITY): AdmissionPlugin {
  const plugin = new PodSecurity(parts, configuration);
  return {
    name: 'PodSecurity',
    handles: (target) => subjectOf(target) !== undefined,
    validate: (request) => plugin.validate(request),
  };
}

class PodSecurity {
  readonly #parts: Parts;
  readonly #namespaces;
  readonly #pods;
  readonly #defaults: Policy;
  readonly #exemptions;
  readonly #metrics: PodSecurityMetrics;
  readonly #evaluator = new PodEvaluator();
  readonly #turns = new Turns();

  constructor(parts: Parts, { defaults, exemptions }: PodSecurityConfiguration) {
    this.#parts = parts;
    this.#namespaces = parts.objects.of<Whole<Namespace>>('', 'namespaces');
    this.#pods = parts.objects.of<Whole<Pod>>('', 'pods');
    this.#defaults = defaults;
    this.#exemptions = {
      user: new Set(exemptions.usernames),
      namespace: new Set(exemptions.namespaces),
      runtimeClass: new Set(exemptions.runtimeClasses),
    };
    this.#metrics = new PodSecurityMetrics(parts.metrics ?? new MetricRegistry());
  }

  validate(request: AdmissionAttributes): void | Promise<void> {
    const subject = subjectOf(request);
    if (subject === 'namespace') return this.#validateNamespace(request);
    if (this.#exemptions.namespace.has(request.namespace)) return this.#exempt(request, 'namespace');
    if (this.#exemptions.user.has(request.user.name)) return this.#exempt(request, 'user');
    const isPod = subject === 'pod';
    return whenThere(this.#namespace(request.namespace), (namespace) => {
      const found = this.#policyIn(namespace, request, isPod);
      if (found !== undefined) this.#validatePod(request, found, isPod);
    });
  }

  #validatePod(request: AdmissionAttributes, { policy, errors }: PolicyOfLabels, isPod: boolean): void {
    if (errors.length === 0 && this.#isOfNoInterest(policy, request, isPod)) return;
    const pod = securedPodOf(request);
    if (pod === undefined) return;
    if (this.#exemptions.runtimeClass.has(pod.spec.runtimeClassName ?? ''))
      return this.#exempt(request, 'runtimeClass');
    if (errors.length > 0) {
      this.#metrics.failed(request, { isFatal: false });
      annotate(request, 'error', `Failed to parse policy: ${together(errors.map(fieldErrorText))}`);
    }
    this.#judge(request, pod, { policy, enforces: isPod });
  }

  #exempt(request: AdmissionAttributes, why: string): void {
    this.#metrics.exempted(request);
    annotate(request, 'exempt', why);
  }

  #namespace(name: string): FoundNamespace | Promise<FoundNamespace> {
    return whenThere(this.#namespaces.get('', name), (found) => found ?? this.#namespaces.newest('', name));
  }

  /** The policy of the namespace. Without a namespace, pods are refused and pod templates pass. */
  #policyIn(found: FoundNamespace, request: AdmissionAttributes, isPod: boolean): PolicyOfLabels | undefined {
    const { namespace } = request;
    if (found !== undefined) return policyOf(found.metadata.labels ?? {}, this.#defaults);
    this.#metrics.failed(request, { isFatal: true });
    const failure = `failed to lookup namespace ${quoteGo(namespace)}`;
    const missing = `namespaces ${quoteGo(namespace)} not found`;
    annotate(request, 'error', isPod ? `Internal error occurred: ${failure}: ${missing}` : `${failure}: ${missing}`);
    if (isPod) throw internalError(failure);
    return undefined;
  }

  #isOfNoInterest(policy: Policy, request: AdmissionAttributes, isPod: boolean): boolean {
    if (!isPod) return policy.audit.level === 'privileged' && policy.warn.level === 'privileged';
    if (!isPrivileged(policy)) return false;
    this.#metrics.evaluated('allow', { mode: 'enforce', ...policy.enforce }, request);
    annotate(request, 'enforce-policy', 'privileged:latest');
    return true;
  }

  #judge(
    request: AdmissionAttributes,
    pod: SecuredPod,
    { policy, enforces }: { policy: Policy; enforces: boolean },
  ): void {
    const refused = enforces ? this.#violations(request, pod, { mode: 'enforce', ...policy.enforce }) : '';
    if (enforces) annotate(request, 'enforce-policy', describeLevel(policy.enforce));
    const audited = this.#violations(request, pod, { mode: 'audit', ...policy.audit });
    if (audited !== '') annotate(request, 'audit-violations', `would violate ${audited}`);
    if (refused !== '') throw this.#refusal(request, `violates ${refused}`);
    const warned = this.#violations(request, pod, { mode: 'warn', ...policy.warn });
    if (warned !== '') request.warn(`would violate ${warned}`);
  }

  #refusal({ resource, name }: AdmissionAttributes, why: string): Error {
    return forbidden({ group: resource.group, resource: resource.plural }, name, why);
  }

  /** `PodSecurity "baseline:latest": …`, or empty. Of allowed requests, only enforced evaluations are counted. */
  #violations(request: AdmissionAttributes, pod: SecuredPod, against: LevelVersion & { readonly mode: Mode }): string {
    const violations = this.#evaluator.violations(against, pod);
    if (violations.length > 0) this.#metrics.evaluated('deny', against, request);
    else if (against.mode === 'enforce') this.#metrics.evaluated('allow', against, request);
    return violations.length === 0 ? '' : `PodSecurity "${describeLevel(against)}": ${detailsOf(violations)}`;
  }

  async #validateNamespace(request: AdmissionAttributes): Promise<void> {
    const { operation, object, old, namespace, name } = request;
    const labels = object?.metadata.labels ?? {};
    const now = policyOf(labels, this.#defaults);
    const before = operation === 'UPDATE' ? policyOf(old?.metadata.labels ?? {}, this.#defaults) : undefined;
    if (now.errors.length > 0 && !deepEqual(now.errors, before?.errors))
      throw invalid({ group: '', resource: 'Namespace' }, name, now.errors);
    if (before !== undefined && !isTightened(now.policy.enforce, before.policy.enforce)) return;
    if (this.#exemptions.namespace.has(namespace)) return this.#warnOfExemption(request, now.policy, labels);
    if (before === undefined) return;
    const isExempt = (pod: Whole<Pod>): boolean => this.#exemptions.runtimeClass.has(pod.spec.runtimeClassName ?? '');
    const existing = { namespace, pods: await this.#pods.list(namespace), isExempt };
    const parts = { evaluator: this.#evaluator, turns: this.#turns, clock: this.#parts.clock };
    for (const warning of await warningsAbout(existing, now.policy.enforce, parts)) request.warn(warning);
  }

  #warnOfExemption(request: AdmissionAttributes, policy: Policy, labels: Readonly<Record<string, string>>): void {
    if (isPrivileged(policy) || areEquivalent(policy, this.#defaults)) return;
    const stated = MODES.filter(
      (mode) =>
        policy[mode].level !== 'privileged' &&
        (labels[LABEL_PREFIX + mode] ?? labels[`${LABEL_PREFIX}${mode}-version`]) !== undefined,
    );
    const text = stated.map((mode) => `${mode}=${describeLevel(policy[mode])}`).join(', ');
    const name = quoteGo(request.namespace);
    request.warn(`namespace ${name} is exempt from Pod Security, and the policy (${text}) will be ignored`);
  }
}

/** Whether pods that were allowed may violate the level that is enforced now. */
function isTightened(now: LevelVersion, before: LevelVersion): boolean {
  if (areSame(now, before) || now.level === 'privileged') return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

function annotate(request: AdmissionAttributes, key: string, value: string): void {
  request.annotate(LABEL_PREFIX + key, value);
}
