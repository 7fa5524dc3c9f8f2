import type { AggregationRule, PolicyRule, RoleRef, Subject } from '../../../api/types/rbac/v1.d.ts';
import { GROUP } from '../rbac-objects.ts';

/** An object of the policy that every cluster begins with. */
export interface PolicyObject {
  readonly plural: 'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings';
  readonly object: {
    readonly metadata: PolicyMetadata;
    readonly rules?: readonly PolicyRule[];
    readonly aggregationRule?: AggregationRule;
    readonly roleRef?: RoleRef;
    readonly subjects?: readonly Subject[];
    readonly [field: string]: unknown;
  };
}

interface PolicyMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const ANNOTATIONS = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const AGGREGATE_TO = `${GROUP}/aggregate-to-`;

/** Shorthands for common sets of verbs. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  read: ['get', 'list', 'watch'],
  write: ['create', 'delete', 'deletecollection', 'patch', 'update'],
};

/** The rule of the line `events`, which nearly every program has. */
const EVENTS: PolicyRule = {
  verbs: ['create', 'patch', 'update'],
  apiGroups: ['', 'events.k8s.io'],
  resources: ['events'],
};

/**
 * Parses roles and bindings from their notation: `role NAME`, then its rules, one per line. A rule is its verbs and paths, or its verbs,
 * groups and resources, and the names that it is limited to. A binding is one line, `bind NAME to SUBJECT …`, or `to none`.
 *
 * Example: `role r in kube-system`, `  read core configmaps named a,b`, `bind r in kube-system to user:x account:kube-system/y`. Further
 * words after a role's name: `part-of admin` aggregates it to that role, `aggregated` marks a role that is made of such parts.
 */
export function readPolicy(text: string): PolicyObject[] {
  const objects: PolicyObject[] = [];
  let rules: PolicyRule[] = [];
  for (const line of text.trim().split('\n')) {
    const words = line.trim().split(/\s+/);
    if (line.startsWith(' ')) rules.push(readRule(words));
    else if (words[0] === 'role') objects.push(readRole(words, (rules = [])));
    else objects.push(readBinding(words));
  }
  return objects;
}

function readRole([, name = '', ...rest]: readonly string[], rules: readonly PolicyRule[]): PolicyObject {
  const namespace = after(rest, 'in');
  const whole = after(rest, 'part-of');
  const labels = whole === undefined ? LABELS : { ...LABELS, [`${AGGREGATE_TO}${whole}`]: 'true' };
  const metadata = metadataOf(name, namespace, labels);
  if (!rest.includes('aggregated')) {
    return { plural: namespace === undefined ? 'clusterroles' : 'roles', object: { metadata, rules } };
  }
  const clusterRoleSelectors = [{ matchLabels: { [`${AGGREGATE_TO}${name}`]: 'true' } }];
  return { plural: 'clusterroles', object: { metadata, aggregationRule: { clusterRoleSelectors } } };
}

function readRule([verbs = '', second = '', third, , names]: readonly string[]): PolicyRule {
  if (verbs === 'events') return EVENTS;
  const granted = { verbs: [...(VERBS[verbs] ?? verbs.split(','))] };
  if (third === undefined) return { ...granted, nonResourceURLs: second.split(',') };
  const apiGroups = second.split(',').map((group) => (group === 'core' ? '' : group));
  const resourceNames = names === undefined ? {} : { resourceNames: names.split(',') };
  return { ...granted, apiGroups, resources: third.split(','), ...resourceNames };
}

function readBinding([, name = '', ...rest]: readonly string[]): PolicyObject {
  const namespace = after(rest, 'in');
  const subjects = rest.slice(rest.indexOf('to') + 1).filter((word) => word !== 'none');
  return binding(name, namespace, { role: after(rest, 'of') ?? name, subjects: subjects.map(readSubject) });
}

function binding(
  name: string,
  namespace: string | undefined,
  { role, subjects }: { readonly role: string; readonly subjects: readonly Subject[] },
): PolicyObject {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  return {
    plural: namespace === undefined ? 'clusterrolebindings' : 'rolebindings',
    object: {
      metadata: metadataOf(name, namespace, LABELS),
      ...(subjects.length === 0 ? {} : { subjects }),
      roleRef: { apiGroup: GROUP, kind, name: role },
    },
  };
}

function readSubject(text: string): Subject {
  const colon = text.indexOf(':');
  const [type, name] = [text.slice(0, colon), text.slice(colon + 1)];
  if (type === 'user') return { kind: 'User', apiGroup: GROUP, name };
  if (type === 'group') return { kind: 'Group', apiGroup: GROUP, name };
  const [namespace = '', account = ''] = name.split('/');
  return { kind: 'ServiceAccount', name: account, namespace };
}

/** A controller's role and its binding: the role in the notation is named after the service account. */
export function ofController({ plural, object }: PolicyObject): PolicyObject[] {
  const account = object.metadata.name;
  const name = `system:controller:${account}`;
  const subjects: Subject[] = [{ kind: 'ServiceAccount', name: account, namespace: 'kube-system' }];
  return [
    { plural, object: { ...object, metadata: { ...object.metadata, name } } },
    binding(name, undefined, { role: name, subjects }),
  ];
}

function metadataOf(name: string, namespace: string | undefined, labels: PolicyMetadata['labels']): PolicyMetadata {
  return { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations: ANNOTATIONS };
}

function after(words: readonly string[], word: string): string | undefined {
  const index = words.indexOf(word);
  return index < 0 ? undefined : words[index + 1];
}
