import { amendPolicy, bootstrapPolicy, type PolicyObject } from '../../access/index.ts';
import type { ApiServer } from '../../apiserver/index.ts';
import { repair } from './own-object.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROOT = `/apis/${GROUP}/v1`;

/**
 * Creates the roles and bindings that every cluster has, and adds what is missing in those that exist; does nothing where roles are
 * not served. All are written at once, so that the store groups them into a few transactions.
 */
export async function ensurePolicy(server: ApiServer): Promise<void> {
  if (server.registry.find(GROUP, 'v1', 'clusterroles') === undefined) return;
  const known = new Set<string>();
  for (const plural of ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const) {
    for (const { metadata } of await server.objects.of(GROUP, plural).newestList()) {
      known.add(`${plural} ${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
    }
  }
  const hasMigrations = server.registry.hasGroup('storagemigration.k8s.io');
  await Promise.all(bootstrapPolicy({ hasMigrations }).map((policy) => ensure(server, policy, known)));
}

async function ensure(server: ApiServer, policy: PolicyObject, known: ReadonlySet<string>): Promise<void> {
  const { plural, object } = policy;
  const { name, namespace = '' } = object.metadata;
  const collection = `${ROOT}/${namespace === '' ? '' : `namespaces/${namespace}/`}${plural}`;
  const isThere = known.has(`${plural} ${namespace}/${name}`);
  if (!isThere && (await server.self.create(collection, object))) return;
  const kind = { group: GROUP, plural, root: ROOT };
  await repair(server, { kind, object, amend: (current) => amendPolicy(policy, current) });
}
