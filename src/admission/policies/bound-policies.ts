import { compareUtf8 } from '../../base/index.ts';
import type { AdmissionTarget, ObjectIndex, Resource } from '../../apiserver/index.ts';
import { RequestMatcher } from '../matching/index.ts';
import type { Policy, PolicyBinding, PolicySources } from './policy-sources.ts';

/** A policy with its bindings. */
export interface BoundPolicy<P, B> {
  readonly policy: P;
  readonly matcher: RequestMatcher;
  readonly bindings: readonly { readonly binding: B; readonly matcher: RequestMatcher | undefined }[];
}

/** The plurals of the policy kind and its binding kind. */
export interface PolicyKinds {
  readonly policies: string;
  readonly bindings: string;
}

const GROUP = 'admissionregistration.k8s.io';
const NONE: readonly never[] = [];

/**
 * The policies with their bindings, both ordered by name. The candidates for a kind of request are computed once and
 * cached until a policy or a binding changes.
 */
export class BoundPolicies<P extends Policy, B extends PolicyBinding> {
  readonly #kinds: PolicyKinds;
  readonly #sources: PolicySources;
  readonly #matchers = new WeakMap<object, RequestMatcher>();
  #policies: ObjectIndex<P> | undefined;
  #bindings: ObjectIndex<B> | undefined;
  #seen: { readonly policies: readonly P[]; readonly bindings: readonly B[] } = { policies: NONE, bindings: NONE };
  #bound: readonly BoundPolicy<P, B>[] = NONE;
  #candidates = new WeakMap<Resource, Map<string, readonly BoundPolicy<P, B>[]>>();

  constructor(kinds: PolicyKinds, sources: PolicySources) {
    this.#kinds = kinds;
    this.#sources = sources;
  }

  /** The policies whose rules apply to such requests. A promise only until a remote store has been read. */
  candidates(target: AdmissionTarget): readonly BoundPolicy<P, B>[] | Promise<readonly BoundPolicy<P, B>[]> {
    if (!this.#begin()) return NONE;
    const [policies, bindings] = [this.#policies as ObjectIndex<P>, this.#bindings as ObjectIndex<B>];
    if (policies.isComplete && bindings.isComplete) return this.#candidatesNow(target);
    return Promise.all([policies.completed(), bindings.completed()]).then(() => this.#candidatesNow(target));
  }

  /** False while the kinds are not served: then there can be no policies. */
  #begin(): boolean {
    if (this.#bindings !== undefined) return true;
    const { objects, registry } = this.#sources;
    const served = new Set(registry.resourcesOf(GROUP).map(({ plural }) => plural));
    if (!served.has(this.#kinds.policies) || !served.has(this.#kinds.bindings)) return false;
    this.#policies = objects.of<P>(GROUP, this.#kinds.policies).index('all', () => ['all']);
    this.#bindings = objects.of<B>(GROUP, this.#kinds.bindings).index('all', () => ['all']);
    return true;
  }

  #candidatesNow(target: AdmissionTarget): readonly BoundPolicy<P, B>[] {
    this.#refresh();
    if (this.#bound.length === 0) return NONE;
    let known = this.#candidates.get(target.resource);
    if (known === undefined) this.#candidates.set(target.resource, (known = new Map()));
    const key = `${target.operation}/${target.subresource}`;
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = this.#bound.filter(({ matcher }) => matcher.couldMatch(target))));
    return found;
  }

  /** An index returns the same list until something in it changes. */
  #refresh(): void {
    const policies = this.#policies?.get('all') ?? NONE;
    const bindings = this.#bindings?.get('all') ?? NONE;
    if (policies === this.#seen.policies && bindings === this.#seen.bindings) return;
    this.#seen = { policies, bindings };
    this.#candidates = new WeakMap();
    const byPolicy = new Map<string, B[]>();
    for (const binding of bindings.toSorted(byName)) {
      const name = binding.spec.policyName ?? '';
      const known = byPolicy.get(name);
      if (known === undefined) byPolicy.set(name, [binding]);
      else known.push(binding);
    }
    this.#bound = policies
      .toSorted(byName)
      .filter(({ metadata }) => byPolicy.has(metadata.name ?? ''))
      .map((policy) => ({
        policy,
        matcher: this.#matcherOf(policy, policy.spec.matchConstraints),
        bindings: (byPolicy.get(policy.metadata.name ?? '') ?? []).map((binding) => ({
          binding,
          matcher:
            binding.spec.matchResources === undefined
              ? undefined
              : this.#matcherOf(binding, binding.spec.matchResources),
        })),
      }));
  }

  #matcherOf(owner: P | B, criteria: Policy['spec']['matchConstraints']): RequestMatcher {
    let matcher = this.#matchers.get(owner);
    if (matcher === undefined) {
      matcher = new RequestMatcher(criteria ?? {}, this.#sources);
      this.#matchers.set(owner, matcher);
    }
    return matcher;
  }
}

function byName(left: Policy | PolicyBinding, right: Policy | PolicyBinding): number {
  return compareUtf8(left.metadata.name ?? '', right.metadata.name ?? '');
}
