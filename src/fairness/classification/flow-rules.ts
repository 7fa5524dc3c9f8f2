import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../api/types/flowcontrol/v1.d.ts';
import type { RequestInfo, UserInfo } from '../../apiserver/index.ts';

export type FlowTest = (info: RequestInfo, user: UserInfo) => boolean;

/** Whether a request matches one of a flow schema's rules. Prepared in advance, so that a test allocates nothing. */
export function compileFlowRules(rules: readonly PolicyRulesWithSubjects[]): FlowTest {
  const tests = rules.map(compileRule);
  return (info, user) => {
    for (const test of tests) if (test(info, user)) return true;
    return false;
  };
}

function compileRule({ subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): FlowTest {
  const isSubject = compileSubjects(subjects);
  const resources = resourceRules.map(compileResourceRule);
  const paths = nonResourceRules.map(compilePathRule);
  return (info, user) => {
    const candidates = info.isResource ? resources : paths;
    if (candidates.length === 0 || !isSubject(user)) return false;
    for (const test of candidates) if (test(info)) return true;
    return false;
  };
}

const ACCOUNT = 'system:serviceaccount:';

function compileSubjects(subjects: readonly Subject[]): (user: UserInfo) => boolean {
  const names = new Set<string>();
  const groups = new Set<string>();
  const prefixes: string[] = [];
  let matchesEveryUser = false;
  for (const { kind, user, group, serviceAccount } of subjects) {
    if (kind === 'User' && user !== undefined) names.add(user.name);
    if (kind === 'Group' && group !== undefined) groups.add(group.name);
    if (kind === 'ServiceAccount' && serviceAccount !== undefined) {
      const { namespace, name } = serviceAccount;
      if (name === '*') prefixes.push(`${ACCOUNT}${namespace}:`);
      else names.add(`${ACCOUNT}${namespace}:${name}`);
    }
    matchesEveryUser ||= (kind === 'User' && user?.name === '*') || (kind === 'Group' && group?.name === '*');
  }
  return (user) =>
    matchesEveryUser ||
    names.has(user.name) ||
    (groups.size > 0 && user.groups.some((group) => groups.has(group))) ||
    prefixes.some((prefix) => user.name.startsWith(prefix));
}

function compileResourceRule(rule: ResourcePolicyRule): (info: RequestInfo) => boolean {
  const isVerb = oneOf(rule.verbs);
  const isGroup = oneOf(rule.apiGroups);
  const isResource = oneOf(rule.resources);
  const isNamespace = oneOf(rule.namespaces ?? []);
  const isForCluster = rule.clusterScope === true;
  return ({ verb, group, resource, subresource, namespace }) =>
    isVerb(verb) &&
    isGroup(group) &&
    isResource(subresource === '' ? resource : `${resource}/${subresource}`) &&
    (namespace === '' ? isForCluster : isNamespace(namespace));
}

function compilePathRule({ verbs, nonResourceURLs }: NonResourcePolicyRule): (info: RequestInfo) => boolean {
  const isVerb = oneOf(verbs);
  const isAll = nonResourceURLs.includes('*');
  const exact = new Set(nonResourceURLs);
  // A path also matches all paths below it, with or without a star at its end.
  const prefixes = nonResourceURLs.map((path) => path.replace(/\*$/, '')).map((path) => path.replace(/\/?$/, '/'));
  return ({ verb, path }) =>
    isVerb(verb) && (isAll || exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** A star matches everything when it is the whole entry. */
function oneOf(list: readonly string[]): (value: string) => boolean {
  const [only] = list;
  if (list.length === 1 && only === '*') return () => true;
  if (list.length === 1) return (value) => value === only;
  const set = new Set(list);
  return (value) => set.has(value);
}
