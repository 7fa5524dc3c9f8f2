import { compareUtf8 } from '../../base/index.ts';
import type { ClusterRole, PolicyRule, Role } from '../../api/types/rbac/v1.d.ts';
import type { App } from '../app/app-options.ts';
import type { AccessNeed } from './access-need.ts';

/** The roles of an app, to be bound to its service account. */
export interface AppRoles {
  /** The access that the app needs in the whole cluster. */
  readonly clusterRole: ClusterRole;
  /** The access it needs in its own namespace; undefined if none. */
  readonly role: Role | undefined;
}

/** The name and namespace of an app's roles. */
export interface RbacOptions {
  /** The roles' name; default the app's. */
  readonly name?: string;
  /** The app's namespace; default: the role names no namespace. */
  readonly namespace?: string;
}

/**
 * The roles for an app's declarations: reading the kinds that its controllers reconcile, own, read and watch, writing
 * children, status and finalizers, events, the Lease of leader election, and the definitions of kinds that it installs.
 *
 * Access that a reconciler uses through its client beyond these must be added by hand.
 */
export function rbacOf(app: Pick<App, 'name' | 'needs'>, { name = app.name, namespace }: RbacOptions = {}): AppRoles {
  const local = rulesOf(app.needs.filter(({ isLocal = false }) => isLocal));
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = rulesOf(app.needs.filter(({ isLocal = false }) => !isLocal));
  const place = namespace === undefined ? {} : { namespace };
  return {
    clusterRole: { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    role: local.length === 0 ? undefined : { apiVersion, kind: 'Role', metadata: { name, ...place }, rules: local },
  };
}

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** One rule for each group and set of verbs, in a fixed order. */
function rulesOf(needs: readonly AccessNeed[]): PolicyRule[] {
  const verbsOf = new Map<string, Set<string>>();
  for (const { group, resource, verbs } of needs) {
    const key = JSON.stringify([group, resource]);
    verbsOf.set(key, new Set([...(verbsOf.get(key) ?? []), ...verbs]));
  }
  const rules = new Map<string, { group: string; verbs: string[]; resources: string[] }>();
  for (const [key, wanted] of [...verbsOf].sort(([left], [right]) => compareUtf8(left, right))) {
    const [group = '', resource = ''] = JSON.parse(key) as readonly string[];
    const verbs = VERBS.filter((verb) => wanted.has(verb));
    const rule = rules.get(JSON.stringify([group, verbs])) ?? { group, verbs, resources: [] };
    rule.resources.push(resource);
    rules.set(JSON.stringify([group, verbs]), rule);
  }
  return [...rules.values()].map(({ group, verbs, resources }) => ({ apiGroups: [group], resources, verbs }));
}
