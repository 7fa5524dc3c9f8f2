// The objects by which an extension API server becomes part of a cluster.
function binding(name: string, role: { readonly kind: string; readonly name: string }, namespace?: string): object {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...role },
  };
}

/** What every extension API server needs: an identity, by which it may ask who calls it and what they may do. */
export function identity(namespace: string, account: string): object[] {
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  const delegator = { kind: 'ClusterRole', name: 'system:auth-delegator' };
  const reader = { kind: 'Role', name: 'extension-apiserver-authentication-reader' };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace } },
    { ...binding(`${account}:system:auth-delegator`, delegator), subjects },
    { ...binding(`${account}-auth-reader`, reader, 'kube-system'), subjects },
  ];
}

/** A role that lets the account read some kinds. */
export function reading(
  account: { readonly name: string; readonly namespace: string },
  rules: readonly object[],
): object[] {
  const role = { kind: 'ClusterRole', name: `system:${account.name}` };
  return [
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: role.name }, rules },
    { ...binding(role.name, role), subjects: [{ kind: 'ServiceAccount', ...account }] },
  ];
}

export function externalService(namespace: string, name: string): object {
  const spec = { type: 'ExternalName', externalName: 'localhost' };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec };
}

export interface Registered {
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
}

export function apiService({ group, version, service }: Registered): object {
  const priorities = { groupPriorityMinimum: 1000, versionPriority: 15 };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}` },
    spec: { group, version, service, insecureSkipTLSVerify: true, ...priorities },
  };
}

/** What those may do who only look. */
export const READ = { verbs: ['get', 'list', 'watch'] };
