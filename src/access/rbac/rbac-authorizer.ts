import type { NonResourceRule, ResourceRule } from '../../api/types/authorization/v1.d.ts';
import {
  type AccessDecision,
  type AccessRequest,
  type AccessRules,
  type ListingAuthorizer,
  NO_OPINION,
  type ServerObjects,
  type UserInfo,
} from '../../apiserver/index.ts';
import { type Rule, ruleAllows } from './policy-rule.ts';
import { type Binding, IndexedRbac } from './rbac-objects.ts';
import { describeBinding, joinProblems, visitRules } from './user-rules.ts';

/**
 * Allows what roles grant. It answers synchronously, except while a store in another process is still loading roles and bindings: it never
 * decides with only a part of them.
 */
export class RbacAuthorizer implements ListingAuthorizer {
  readonly name = 'RBAC';
  readonly #objects: ServerObjects;
  #known: IndexedRbac | undefined;

  constructor(objects: ServerObjects) {
    this.#objects = objects;
  }

  authorize(request: AccessRequest): AccessDecision | Promise<AccessDecision> {
    const rbac = this.#rbac;
    return rbac.isComplete ? decide(rbac, request) : rbac.completed().then(() => decide(rbac, request));
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<AccessRules> {
    await this.#rbac.completed();
    return listRules(this.#rbac, user, namespace);
  }

  /** Created on first use, because the kinds must be registered by then. */
  get #rbac(): IndexedRbac {
    return (this.#known ??= new IndexedRbac(this.#objects));
  }
}

function decide(rbac: IndexedRbac, { user, info }: AccessRequest): AccessDecision {
  let grant: Binding | undefined;
  let problems: string[] | undefined;
  visitRules(
    rbac,
    { user, namespace: info.namespace },
    {
      rule(rule, binding) {
        if (!ruleAllows(rule, info)) return false;
        grant = binding;
        return true;
      },
      problem: (text) => void (problems ??= []).push(text),
    },
  );
  if (grant !== undefined) return new Granted(grant, user);
  return problems === undefined ? NO_OPINION : { verdict: 'noOpinion', reason: `RBAC: ${joinProblems(problems)}` };
}

/** Builds the reason on demand: it is rarely read for allowed requests. */
class Granted implements AccessDecision {
  readonly verdict = 'allow';
  readonly #binding: Binding;
  readonly #user: UserInfo;

  constructor(binding: Binding, user: UserInfo) {
    this.#binding = binding;
    this.#user = user;
  }

  get reason(): string {
    return `RBAC: allowed by ${describeBinding(this.#binding, this.#user)}`;
  }
}

function listRules(rbac: IndexedRbac, user: UserInfo, namespace: string): AccessRules {
  const resourceRules: ResourceRule[] = [];
  const nonResourceRules: NonResourceRule[] = [];
  const problems: string[] = [];
  visitRules(
    rbac,
    { user, namespace },
    {
      rule(rule) {
        if ((rule.resources ?? []).length > 0) resourceRules.push(resourceRule(rule));
        if ((rule.nonResourceURLs ?? []).length > 0) nonResourceRules.push(nonResourceRule(rule));
        return false;
      },
      problem: (text) => void problems.push(text),
    },
  );
  const problem = problems.length === 0 ? {} : { problem: joinProblems(problems) };
  return { resourceRules, nonResourceRules, isIncomplete: false, ...problem };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: Rule): ResourceRule {
  return present({ verbs, apiGroups, resources, resourceNames });
}

function nonResourceRule({ verbs, nonResourceURLs }: Rule): NonResourceRule {
  return present({ verbs, nonResourceURLs });
}

function present<T>(members: { readonly [member: string]: readonly string[] | null | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, values]) => (values ?? undefined) !== undefined)) as T;
}
