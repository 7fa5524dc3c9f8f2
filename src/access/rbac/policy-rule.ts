import type { PolicyRule } from '../../api/types/rbac/v1.d.ts';
import type { RequestInfo } from '../../apiserver/index.ts';

export type { PolicyRule };

/** A rule as it is stored or sent, before validation: frozen, and any of its lists may be missing. */
export type Rule = { readonly [Member in keyof PolicyRule]?: readonly string[] | null };

const ALL = '*';
const NONE: readonly string[] = [];

/** Whether the rule permits the request. */
export function ruleAllows(rule: Rule, info: RequestInfo): boolean {
  if (!includes(rule.verbs ?? NONE, info.verb)) return false;
  if (!info.isResource) return (rule.nonResourceURLs ?? NONE).some((pattern) => pathMatches(pattern, info.path));
  return (
    includes(rule.apiGroups ?? NONE, info.group) &&
    includesResource(rule.resources ?? NONE, info.resource, info.subresource) &&
    includesName(rule.resourceNames ?? NONE, info.name)
  );
}

export function includes(values: readonly string[], wanted: string): boolean {
  return values.includes(wanted) || values.includes(ALL);
}

/** Matches `pods`, `pods/log`, `*` for everything with its subresources, and a star before the slash for one subresource of everything. */
function includesResource(values: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === '') return includes(values, resource);
  return includes(values, `${resource}/${subresource}`) || values.includes(`*/${subresource}`);
}

function includesName(names: readonly string[], wanted: string): boolean {
  return names.length === 0 || names.includes(wanted);
}

/** A pattern is a path, or the beginning of one followed by `*`. */
export function pathMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, '')));
}

const MEMBERS = [
  ['APIGroups', 'apiGroups'],
  ['Resources', 'resources'],
  ['NonResourceURLs', 'nonResourceURLs'],
  ['ResourceNames', 'resourceNames'],
  ['Verbs', 'verbs'],
] as const;

/** A rule as refusals print it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function describeRule(rule: Rule): string {
  const parts = MEMBERS.flatMap(([name, member]) => {
    const values = rule[member] ?? NONE;
    return values.length === 0 ? [] : [`${name}:${quoted(values)}`];
  });
  return `{${parts.join(', ')}}`;
}

/** Prints a list of strings as Go does. */
export function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
