import type { AttackTarget } from './attack.ts';
import { bearer, send, session } from './wire.ts';

const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';

/** Gives a user a role in the namespace `default`, as an administrator would, and returns the user's name. */
export async function addUser(target: AttackTarget, role: 'edit' | 'view'): Promise<string> {
  const name = `attack-${role}`;
  const over = session(target);
  const binding = {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name }],
  };
  const headers = { ...bearer(target), 'content-type': 'application/json', ':method': 'POST', ':path': BINDINGS };
  const code = await send(over, headers, JSON.stringify(binding));
  over.destroy();
  if (code !== 201) throw new Error(`The binding of "${name}" was answered with ${code}`);
  return name;
}
