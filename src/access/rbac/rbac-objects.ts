import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '../../api/types/rbac/v1.d.ts';
import type { ObjectIndex, ServerObjects, UserInfo } from '../../apiserver/index.ts';

export const GROUP = 'rbac.authorization.k8s.io';

export type Binding = RoleBinding | ClusterRoleBinding;

/** Looks up roles and bindings for decisions. */
export interface RbacObjects {
  /** The resource that errors name for a missing role; default the role's own kind. */
  readonly missingAs?: string;
  clusterRole(name: string): ClusterRole | undefined;
  role(namespace: string, name: string): Role | undefined;
  /** Bindings that name one of the subjects, each once. */
  clusterRoleBindings(subjects: readonly string[]): readonly ClusterRoleBinding[];
  roleBindings(namespace: string, subjects: readonly string[]): readonly RoleBinding[];
}

const SERVICE_ACCOUNT = 'system:serviceaccount:';

/** By user: all requests of one connection, and all of one program in this process, share one `UserInfo` object. */
const knownSubjects = new WeakMap<UserInfo, readonly string[]>();

/** All subjects that can mean a user: the name and each of the groups. Service accounts are users. */
export function subjectsOf(user: UserInfo): readonly string[] {
  let subjects = knownSubjects.get(user);
  if (subjects === undefined) {
    subjects = [`user ${user.name}`, ...user.groups.map((group) => `group ${group}`)];
    knownSubjects.set(user, subjects);
  }
  return subjects;
}

/** The key of a subject of a binding in a namespace; undefined when it cannot match a user. */
export function subjectKey({ kind, name, namespace = '' }: Subject, bindingNamespace: string): string | undefined {
  switch (kind) {
    case 'User':
      return `user ${name}`;
    case 'Group':
      return `group ${name}`;
    case 'ServiceAccount': {
      const own = namespace === '' ? bindingNamespace : namespace;
      return own === '' ? undefined : `user ${SERVICE_ACCOUNT}${own}:${name}`;
    }
    default:
      return undefined;
  }
}

function subjectKeys({ subjects = [], metadata }: Binding): string[] {
  const namespace = metadata?.namespace ?? '';
  return [...new Set(subjects.flatMap((subject) => subjectKey(subject, namespace) ?? []))];
}

/**
 * The server's roles and bindings, in indexes that follow every change: the cost of a decision does not depend on how many roles and
 * bindings there are, only on how many are the user's.
 */
export class IndexedRbac implements RbacObjects {
  readonly #clusterRoles: ObjectIndex<ClusterRole>;
  readonly #roles: ObjectIndex<Role>;
  readonly #clusterRoleBindings: ObjectIndex<ClusterRoleBinding>;
  readonly #roleBindings: ObjectIndex<RoleBinding>;
  /** Search results by subjects, with the index entries they came from; these entries are replaced when one of their bindings changes. */
  readonly #found = new WeakMap<readonly string[], Found>();

  constructor(objects: ServerObjects) {
    this.#clusterRoles = objects
      .of<ClusterRole>(GROUP, 'clusterroles')
      .index('rbac name', ({ metadata }) => [metadata?.name ?? '']);
    this.#roles = objects
      .of<Role>(GROUP, 'roles')
      .index('rbac name', ({ metadata }) => [`${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`]);
    this.#clusterRoleBindings = objects
      .of<ClusterRoleBinding>(GROUP, 'clusterrolebindings')
      .index('rbac subject', subjectKeys);
    this.#roleBindings = objects
      .of<RoleBinding>(GROUP, 'rolebindings')
      .index('rbac subject', (binding) =>
        subjectKeys(binding).map((subject) => `${binding.metadata?.namespace ?? ''}/${subject}`),
      );
  }

  /** False while a store in another process is still loading. */
  get isComplete(): boolean {
    return this.#indexes.every(({ isComplete }) => isComplete);
  }

  async completed(): Promise<void> {
    await Promise.all(this.#indexes.map((index) => index.completed()));
  }

  clusterRole(name: string): ClusterRole | undefined {
    return this.#clusterRoles.get(name)[0];
  }

  role(namespace: string, name: string): Role | undefined {
    return this.#roles.get(`${namespace}/${name}`)[0];
  }

  clusterRoleBindings(subjects: readonly string[]): readonly ClusterRoleBinding[] {
    const index = this.#clusterRoleBindings;
    const known = this.#found.get(subjects);
    if (known?.lists.every((list, place) => list === index.get(subjects[place] ?? ''))) return known.bindings;
    const lists = subjects.map((subject) => index.get(subject));
    const bindings = distinct(lists);
    this.#found.set(subjects, { lists, bindings });
    return bindings;
  }

  roleBindings(namespace: string, subjects: readonly string[]): readonly RoleBinding[] {
    return distinct(subjects.map((subject) => this.#roleBindings.get(`${namespace}/${subject}`)));
  }

  get #indexes(): readonly ObjectIndex<never>[] {
    return [this.#clusterRoles, this.#roles, this.#clusterRoleBindings, this.#roleBindings] as never;
  }
}

interface Found {
  readonly lists: readonly (readonly ClusterRoleBinding[])[];
  readonly bindings: readonly ClusterRoleBinding[];
}

function distinct<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const filled = lists.filter(({ length }) => length > 0);
  return filled.length < 2 ? (filled[0] ?? []) : [...new Set(filled.flat())];
}

/** The role or binding that is being written; upstream names its resource in errors about anything that is missing. */
export interface RoleRequest {
  readonly resource: string;
  readonly namespace: string;
}

/** Reads roles and bindings from the store, for checks that must see the latest writes. */
export async function newestRbac(objects: ServerObjects, { resource, namespace }: RoleRequest): Promise<RbacObjects> {
  const of = <T>(plural: string): Promise<readonly T[]> => objects.of<T>(GROUP, plural).newestList(namespace);
  const everywhere = <T>(plural: string): Promise<readonly T[]> => objects.of<T>(GROUP, plural).newestList();
  const [clusterRoles, clusterRoleBindings] = await Promise.all([
    everywhere<ClusterRole>('clusterroles'),
    everywhere<ClusterRoleBinding>('clusterrolebindings'),
  ]);
  const [roles, roleBindings] =
    namespace === '' ? [[], []] : await Promise.all([of<Role>('roles'), of<RoleBinding>('rolebindings')]);
  const named = (subjects: readonly string[]) => (binding: Binding) =>
    subjectKeys(binding).some((key) => subjects.includes(key));
  return {
    missingAs: resource,
    clusterRole: (name) => clusterRoles.find(({ metadata }) => metadata?.name === name),
    role: (_, name) => roles.find(({ metadata }) => metadata?.name === name),
    clusterRoleBindings: (subjects) => clusterRoleBindings.filter(named(subjects)),
    roleBindings: (_, subjects) => roleBindings.filter(named(subjects)),
  };
}
