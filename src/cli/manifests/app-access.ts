import type { ClusterRoleBinding, RoleBinding } from '../../api/types/rbac/v1.d.ts';
import type { KubernetesObject } from '../../client/index.ts';
import {
  type App,
  ELECTION_NEEDS,
  INSTALLATION_NEED,
  OWN_SERVICE_NEED,
  rbacOf,
  SHARED_AUTHORITY_NEED,
} from '../../kit/index.ts';
import { labelsOf } from './app-deployment.ts';
import type { AppServing } from './app-serving.ts';
import type { DeploymentSettings } from './settings.ts';

const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;

/** The service account of an app, and the roles that its declarations need. */
export function appAccess(app: App, settings: DeploymentSettings, serving: AppServing): readonly KubernetesObject[] {
  const { name, namespace } = settings;
  const needs = [
    ...app.needs.filter((need) => need !== INSTALLATION_NEED && need !== OWN_SERVICE_NEED),
    ...ELECTION_NEEDS,
    ...(serving.isConverting ? [INSTALLATION_NEED] : []),
    ...(serving.hasSharedAuthority ? [SHARED_AUTHORITY_NEED] : []),
  ];
  const { clusterRole, role } = rbacOf({ name, needs }, { namespace });
  const labels = labelsOf(settings);
  const labelled = (object: KubernetesObject): KubernetesObject => ({
    ...object,
    metadata: { ...object.metadata, labels },
  });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...((clusterRole.rules ?? []).length === 0 ? [] : [clusterRole, clusterBinding(settings)]),
    ...(role === undefined ? [] : [role, binding({ name, namespace }, { kind: 'Role', name }, settings)]),
    ...(serving.hasApis ? [trustBinding(settings)] : []),
  ].map(labelled);
}

function clusterBinding(settings: DeploymentSettings): ClusterRoleBinding {
  const { name } = settings;
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
  return {
    apiVersion: API_VERSION,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef,
    subjects: subjectsOf(settings),
  };
}

function binding(
  metadata: { readonly name: string; readonly namespace: string },
  role: { readonly kind: string; readonly name: string },
  settings: DeploymentSettings,
): RoleBinding {
  const roleRef = { apiGroup: GROUP, ...role };
  return { apiVersion: API_VERSION, kind: 'RoleBinding', metadata, roleRef, subjects: subjectsOf(settings) };
}

/** Lets the app read the authority of the front proxy, whose statements about users it trusts. */
function trustBinding(settings: DeploymentSettings): RoleBinding {
  const role = { kind: 'Role', name: 'extension-apiserver-authentication-reader' };
  return binding({ name: `${settings.name}-authentication-reader`, namespace: 'kube-system' }, role, settings);
}

function subjectsOf({ name, namespace }: DeploymentSettings) {
  return [{ kind: 'ServiceAccount', name, namespace }];
}
