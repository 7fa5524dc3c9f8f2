const KUBE_SYSTEM = 'system:serviceaccount:kube-system:';
const SERVICE_ACCOUNT = 'system:serviceaccount:';
const NODE = 'system:node:';
const SYSTEM = 'system:';

/** A user's name in few words: `deployment-controller` of a service account in kube-system, `default/builder` of another one, `node n1`. */
export function shortUser(user: string): string {
  if (user.startsWith(KUBE_SYSTEM)) return user.slice(KUBE_SYSTEM.length);
  if (user.startsWith(SERVICE_ACCOUNT)) return user.slice(SERVICE_ACCOUNT.length).replace(':', '/');
  if (user.startsWith(NODE)) return `node ${user.slice(NODE.length)}`;
  return user.startsWith(SYSTEM) ? user.slice(SYSTEM.length) : user;
}
