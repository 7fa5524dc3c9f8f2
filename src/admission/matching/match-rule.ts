import type { AdmissionAttributes, Resource } from '../../apiserver/index.ts';

/** One rule of a webhook or policy; `resourceNames` is there in policies only. */
export interface MatchRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** What a rule is compared with: the requested resource, or an equivalent one in its place. */
export interface RuleTarget {
  readonly operation: string;
  readonly resource: Pick<Resource, 'group' | 'version' | 'plural'>;
  readonly subresource: string;
}

/** Whether a rule applies to such requests, whatever their namespace and name are. */
export function couldMatchRule(rule: MatchRule, { operation, resource, subresource }: RuleTarget): boolean {
  return (
    isAmong(rule.operations, operation) &&
    isAmong(rule.apiGroups, resource.group) &&
    isAmong(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((text) => matchesResource(text, resource.plural, subresource))
  );
}

/** The rest of a rule, after `couldMatchRule`: scope and names. */
export function matchesPlace(
  { scope = '*', resourceNames = [] }: MatchRule,
  { resource, namespace, name }: Pick<AdmissionAttributes, 'resource' | 'namespace' | 'name'>,
): boolean {
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  if (scope === '*') return true;
  const isInNamespace = namespace !== '' && !isNamespaces(resource);
  return scope === (isInNamespace ? 'Namespaced' : 'Cluster');
}

/** The attributes of a Namespace have its name as their namespace, although it is cluster-scoped. */
export function isNamespaces({ group, plural }: Pick<Resource, 'group' | 'plural'>): boolean {
  return group === '' && plural === 'namespaces';
}

function isAmong(items: readonly string[] = [], wanted: string): boolean {
  return items.includes('*') || items.includes(wanted);
}

/**
 * `pods`, `pods/status`, `pods/*`, `*`, `*`+`/scale`, `*`+`/*`; without a subresource it matches the resource alone.
 */
function matchesResource(text: string, plural: string, subresource: string): boolean {
  const slash = text.indexOf('/');
  const resource = slash < 0 ? text : text.slice(0, slash);
  const below = slash < 0 ? '' : text.slice(slash + 1);
  return (resource === '*' || resource === plural) && (below === '*' || below === subresource);
}
