import type { KubernetesObject } from '../../client/index.ts';
import type { App } from '../../kit/index.ts';
import { appAccess } from './app-access.ts';
import { appDeployment, appService, labelsOf, PORTS } from './app-deployment.ts';
import { isServing, servingOf } from './app-serving.ts';
import type { DeploymentSettings } from './settings.ts';

/** The objects that deploy an app, by file. */
export interface AppObjects {
  readonly namespace: readonly KubernetesObject[];
  readonly definitions: readonly KubernetesObject[];
  readonly access: readonly KubernetesObject[];
  readonly deployment: readonly KubernetesObject[];
  /** Objects that the app writes itself when it runs: webhook configurations, policies, APIServices. */
  readonly registrations: readonly KubernetesObject[];
}

/** Namespaces that every cluster has. */
const EVERYWHERE = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** The objects that follow from the app's declarations. */
export function appObjects(app: App, settings: DeploymentSettings): Omit<AppObjects, 'registrations'> {
  const { name, namespace } = settings;
  const serving = servingOf(app);
  const labels = { ...labelsOf(settings), 'pod-security.kubernetes.io/enforce': 'restricted' };
  const service = { namespace, name, path: '/convert', port: PORTS.server };
  return {
    namespace: EVERYWHERE.has(namespace)
      ? []
      : [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }],
    definitions: app.resources.map((kind) => kind.manifest(kind.isConverted ? { conversion: { service } } : {})),
    access: appAccess(app, settings, serving),
    deployment: [...(isServing(serving) ? [appService(settings, serving)] : []), appDeployment(settings, serving)],
  };
}
