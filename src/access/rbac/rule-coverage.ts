import { includes, pathMatches, type PolicyRule, type Rule } from './policy-rule.ts';

const NONE: readonly string[] = [];

/** Maximum number of single permissions to compare: a short rule can stand for a billion of them. */
export const MAX_PERMISSIONS = 10_000;

/**
 * The rules' single permissions that no rule of the owner includes, in the order of the rules. Rules that one rule of the owner covers as a
 * whole are not split; 'too many' when the others have more than `MAX_PERMISSIONS`.
 */
export function missingFrom(owned: readonly Rule[], wanted: readonly Rule[]): PolicyRule[] | 'too many' {
  const open = wanted.filter((rule) => !owned.some((owner) => coversWhole(owner, rule)));
  const count = open.reduce((sum, rule) => sum + permissionCount(rule), 0);
  if (count > MAX_PERMISSIONS) return 'too many';
  return open.flatMap(singlePermissions).filter((single) => !owned.some((rule) => covers(rule, single)));
}

function permissionCount({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): number {
  const targets = (apiGroups ?? NONE).length * (resources ?? NONE).length * Math.max(1, (resourceNames ?? NONE).length);
  return (verbs ?? NONE).length * (targets + (nonResourceURLs ?? NONE).length);
}

function coversWhole(owner: Rule, rule: Rule): boolean {
  const names = rule.resourceNames ?? NONE;
  const ownNames = owner.resourceNames ?? NONE;
  if (ownNames.length > 0 && (names.length === 0 || !hasAll(ownNames, names))) return false;
  const urls = rule.nonResourceURLs ?? NONE;
  return (
    hasAll(owner.verbs ?? NONE, rule.verbs ?? NONE) &&
    hasAll(owner.apiGroups ?? NONE, rule.apiGroups ?? NONE) &&
    hasAll(owner.resources ?? NONE, rule.resources ?? NONE) &&
    hasAll(owner.nonResourceURLs ?? NONE, urls)
  );
}

function hasAll(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.includes('*')) return true;
  const known = new Set(owned);
  return wanted.every((value) => known.has(value));
}

/** Splits a rule into rules of one verb on one resource, name or path. */
function singlePermissions({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Single[] {
  const singles: Single[] = [];
  for (const group of apiGroups ?? NONE) {
    for (const resource of resources ?? NONE) {
      for (const verb of verbs ?? NONE) {
        const single = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if ((resourceNames ?? NONE).length === 0) singles.push(single);
        for (const name of resourceNames ?? NONE) singles.push({ ...single, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs ?? NONE)
    for (const verb of verbs ?? NONE) singles.push({ nonResourceURLs: [url], verbs: [verb] });
  return singles;
}

/** A rule whose lists have at most one member. */
type Single = PolicyRule;

function covers(owner: Rule, single: Single): boolean {
  const [verb = ''] = single.verbs;
  if (!includes(owner.verbs ?? NONE, verb)) return false;
  const [url] = single.nonResourceURLs ?? [];
  if (url !== undefined) {
    const isAnyName = (owner.resourceNames ?? NONE).length === 0;
    return isAnyName && (owner.nonResourceURLs ?? NONE).some((pattern) => pathMatches(pattern, url));
  }
  const [group = ''] = single.apiGroups ?? [];
  const [resource = ''] = single.resources ?? [];
  const [name] = single.resourceNames ?? [];
  const names = owner.resourceNames ?? NONE;
  return (
    includes(owner.apiGroups ?? NONE, group) &&
    coversResource(owner.resources ?? NONE, resource) &&
    (names.length === 0 || (name !== undefined && names.includes(name)))
  );
}

function coversResource(values: readonly string[], resource: string): boolean {
  const slash = resource.indexOf('/');
  return includes(values, resource) || (slash >= 0 && values.includes(`*${resource.slice(slash)}`));
}

/** Merges single permissions that differ only in their verbs, for readable messages. */
export function joinVerbs(singles: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const [index, single] of singles.entries()) {
    const { verbs, ...target } = single;
    const key = single.nonResourceURLs === undefined ? JSON.stringify(target) : `path ${index}`;
    const known = joined.get(key);
    joined.set(key, known === undefined ? single : { ...known, verbs: [...known.verbs, ...verbs] });
  }
  return [...joined.values()];
}
