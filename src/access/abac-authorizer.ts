import {
  type AccessDecision,
  type AccessRequest,
  type AccessRules,
  type ListingAuthorizer,
  type RequestInfo,
  type UserInfo,
} from '../apiserver/index.ts';

/** Allows a user, a group or both to use a resource in a namespace, or a path; `*` stands for all. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const AUTHENTICATED = 'system:authenticated';
const API_VERSION = 'abac.authorization.kubernetes.io/v1beta1';
const READS = ['get', 'list', 'watch'];

/** Reads policies, one per line. Lines without a version are in the older format, which allows more by default. */
export function readAbacPolicies({ path, text }: { readonly path: string; readonly text: string }): AbacPolicy[] {
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [readPolicy(JSON.parse(trimmed))];
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`error reading policy file ${path}, line ${index + 1}: ${line}: ${problem}`, { cause });
    }
  });
}

function readPolicy(value: unknown): AbacPolicy {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not an object');
  const { apiVersion, kind, spec } = value as Readonly<Record<string, unknown>>;
  if (apiVersion === undefined && kind === undefined) return unversioned(membersOf(value));
  if (apiVersion !== API_VERSION || kind !== 'Policy') throw new Error(`it is not a Policy of ${API_VERSION}`);
  return forEveryUser(membersOf(spec ?? {}));
}

/** `*` as user or group means all authenticated users. */
function forEveryUser(policy: AbacPolicy): AbacPolicy {
  const isWildcard = policy.user === '*' || policy.group === '*';
  return isWildcard ? { ...policy, user: '', group: AUTHENTICATED } : policy;
}

function unversioned(policy: AbacPolicy): AbacPolicy {
  const { user, group, namespace, resource } = policy;
  const hasNoSubject = user === '' && group === '';
  return forEveryUser({
    ...policy,
    apiGroup: '*',
    group: hasNoSubject ? AUTHENTICATED : group,
    namespace: namespace === '' ? '*' : namespace,
    resource: resource === '' ? '*' : resource,
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  });
}

function membersOf(value: unknown): AbacPolicy {
  if (typeof value !== 'object' || value === null) throw new Error('spec is not an object');
  const members = value as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const member = members[name] ?? '';
    if (typeof member !== 'string') throw new Error(`${name} is not a string`);
    return member;
  };
  const { readonly = false } = members;
  if (typeof readonly !== 'boolean') throw new Error('readonly is not a boolean');
  return {
    user: text('user'),
    group: text('group'),
    readonly,
    apiGroup: text('apiGroup'),
    resource: text('resource'),
    namespace: text('namespace'),
    nonResourcePath: text('nonResourcePath'),
  };
}

/** The mode ABAC: allows a request when one of the policies does. */
export class AbacAuthorizer implements ListingAuthorizer {
  readonly name = 'ABAC';
  readonly #policies: readonly AbacPolicy[];

  constructor(policies: readonly AbacPolicy[]) {
    this.#policies = policies;
  }

  authorize({ user, info }: AccessRequest): AccessDecision {
    const isAllowed = this.#policies.some((policy) => isFor(policy, user) && allows(policy, info));
    return isAllowed ? { verdict: 'allow', reason: '' } : { verdict: 'noOpinion', reason: 'No policy matched.' };
  }

  rulesFor(user: UserInfo, namespace: string): AccessRules {
    const own = this.#policies.filter((policy) => isFor(policy, user) && stands(policy.namespace, namespace));
    const verbs = (policy: AbacPolicy): string[] => (policy.readonly ? [...READS] : ['*']);
    return {
      resourceRules: own
        .filter(({ resource }) => resource !== '')
        .map((policy) => ({ verbs: verbs(policy), apiGroups: [policy.apiGroup], resources: [policy.resource] })),
      nonResourceRules: own
        .filter(({ nonResourcePath }) => nonResourcePath !== '')
        .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
      isIncomplete: false,
    };
  }
}

function isFor({ user, group }: AbacPolicy, asking: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === asking.name) && (group === '' || asking.groups.includes(group));
}

function allows(policy: AbacPolicy, info: RequestInfo): boolean {
  if (policy.readonly && !READS.includes(info.verb)) return false;
  if (!info.isResource) return pathStands(policy.nonResourcePath, info.path);
  return (
    stands(policy.namespace, info.namespace) &&
    stands(policy.resource, info.resource) &&
    stands(policy.apiGroup, info.group)
  );
}

function stands(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}

function pathStands(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}
