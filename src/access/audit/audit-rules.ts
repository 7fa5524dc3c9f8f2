import type { RequestInfo, UserInfo } from '../../apiserver/index.ts';
import type { AuditedResources, AuditLevel, AuditPolicy, AuditRule, AuditStage } from './audit-policy.ts';

/** What a policy decides about one request. */
export interface AuditVerdict {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** The user of a request and what is requested. */
interface Subject {
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

interface CompiledRule {
  readonly verdict: AuditVerdict;
  matches(subject: Subject): boolean;
}

/** Finds the rule of a policy that decides about a request. Names are in sets, so the cost does not grow with the names of a rule. */
export class AuditRules {
  readonly #rules: readonly CompiledRule[];
  readonly #noMatch: AuditVerdict;

  constructor(policy: AuditPolicy) {
    this.#rules = policy.rules.map((rule) => compile(rule, policy));
    this.#noMatch = { level: 'None', omitStages: new Set(), omitManagedFields: false };
  }

  verdictOn(subject: Subject): AuditVerdict {
    for (const rule of this.#rules) if (rule.matches(subject)) return rule.verdict;
    return this.#noMatch;
  }
}

function compile(rule: AuditRule, policy: AuditPolicy): CompiledRule {
  const [users, groups, verbs] = [setOf(rule.users), setOf(rule.userGroups), setOf(rule.verbs)];
  const matchesTarget = targetTest(rule);
  return {
    verdict: {
      level: rule.level,
      omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
    },
    matches({ user, info }) {
      if (users !== undefined && !users.has(user.name)) return false;
      if (groups !== undefined && !user.groups.some((group) => groups.has(group))) return false;
      if (verbs !== undefined && !verbs.has(info.verb)) return false;
      return matchesTarget(info);
    },
  };
}

type Target = RequestInfo;

function targetTest(rule: AuditRule): (info: Target) => boolean {
  if (rule.namespaces.length > 0 || rule.resources.length > 0) {
    const namespaces = setOf(rule.namespaces);
    const tests = rule.resources.map(resourceTest);
    return (info) => {
      if (!info.isResource) return false;
      if (namespaces !== undefined && !namespaces.has(info.namespace)) return false;
      return tests.length === 0 || tests.some((test) => test(info));
    };
  }
  if (rule.nonResourceURLs.length === 0) return () => true;
  const exact = new Set(rule.nonResourceURLs);
  const prefixes = rule.nonResourceURLs.filter((url) => url.endsWith('*')).map((url) => url.slice(0, -1));
  return (info) =>
    !info.isResource && (exact.has(info.path) || prefixes.some((prefix) => info.path.startsWith(prefix)));
}

function resourceTest({ group, resources, resourceNames }: AuditedResources): (info: Target) => boolean {
  const [listed, names] = [new Set(resources), setOf(resourceNames)];
  return (info) => {
    if (group !== '*' && group !== info.group) return false;
    if (listed.size === 0) return true;
    if (names !== undefined && !names.has(info.name)) return false;
    const { resource, subresource } = info;
    if (listed.has('*') || listed.has(`${resource}/*`)) return true;
    return subresource === ''
      ? listed.has(resource)
      : listed.has(`${resource}/${subresource}`) || listed.has(`*/${subresource}`);
  };
}

/** Undefined for an empty list, which matches everything. */
function setOf(values: readonly string[]): ReadonlySet<string> | undefined {
  return values.length === 0 ? undefined : new Set(values);
}
