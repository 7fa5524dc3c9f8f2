import type { PolicyRule } from '../../api/types/rbac/v1.d.ts';
import type { RequestInfo } from '../../apiserver/index.ts';

export type { PolicyRule };

/** As much of a rule as decides; what is stored is frozen. */
export type Rule = {
  readonly [Member in keyof PolicyRule]: Member extends 'verbs' ? readonly string[] : readonly string[] | undefined;
};

const ALL = '*';
const NONE: readonly string[] = [];

/** Whether the rule permits what is asked for. */
export function ruleAllows(rule: Rule, info: RequestInfo): boolean {
  if (!includes(rule.verbs, info.verb)) return false;
  if (!info.isResource) return (rule.nonResourceURLs ?? NONE).some((pattern) => pathMatches(pattern, info.path));
  return (
    includes(rule.apiGroups ?? NONE, info.group) &&
    includesResource(rule.resources ?? NONE, info.resource, info.subresource) &&
    includesName(rule.resourceNames ?? NONE, info.name)
  );
}

function includes(values: readonly string[], wanted: string): boolean {
  return values.includes(wanted) || values.includes(ALL);
}

/** `pods`, `pods/log`, `*` for everything and its subresources, and a star before the slash for one subresource of everything. */
function includesResource(values: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === '') return includes(values, resource);
  return includes(values, `${resource}/${subresource}`) || values.includes(`*/${subresource}`);
}

function includesName(names: readonly string[], wanted: string): boolean {
  return names.length === 0 || names.includes(wanted);
}

/** A pattern is a path, or the beginning of one followed by `*`. */
function pathMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, '')));
}

/** Those of the rules' single permissions that no rule of the owner includes, in the order of the rules. */
export function missingFrom(owned: readonly Rule[], wanted: readonly Rule[]): PolicyRule[] {
  return wanted.flatMap(singlePermissions).filter((single) => !owned.some((rule) => covers(rule, single)));
}

/** A rule as rules of one verb on one resource, name or path each. */
function singlePermissions({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Single[] {
  const singles: Single[] = [];
  for (const group of apiGroups ?? NONE) {
    for (const resource of resources ?? NONE) {
      for (const verb of verbs) {
        const single = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if ((resourceNames ?? NONE).length === 0) singles.push(single);
        for (const name of resourceNames ?? NONE) singles.push({ ...single, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs ?? NONE)
    for (const verb of verbs) singles.push({ nonResourceURLs: [url], verbs: [verb] });
  return singles;
}

/** A rule whose lists have one member at most. */
type Single = PolicyRule;

function covers(owner: Rule, single: Single): boolean {
  const [verb = ''] = single.verbs;
  if (!includes(owner.verbs, verb)) return false;
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

/** Single permissions that differ in their verbs alone as one rule, for people to read. */
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

const MEMBERS = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

/** A rule as refusals tell it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function describeRule(rule: Rule): string {
  const parts = MEMBERS.flatMap(([name, member]) => {
    const values = rule[member] ?? NONE;
    return values.length === 0 ? [] : [`${name}:${quoted(values)}`];
  });
  return `{${parts.join(', ')}}`;
}

/** As Go prints a list of strings. */
export function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
