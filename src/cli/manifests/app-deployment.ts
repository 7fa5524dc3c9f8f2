import type { Deployment } from '../../api/types/apps/v1.d.ts';
import type { Container, ContainerPort, EnvVar, Service } from '../../api/types/core/v1.d.ts';
import { DEPLOYMENT_VARIABLES } from '../../kit/index.ts';
import { type AppServing, isServing } from './app-serving.ts';
import type { DeploymentSettings } from './settings.ts';

/** The ports of an app in a pod. */
export const PORTS = { health: 8080, server: 8443 } as const;

/** The grace period of the pod: that of `run`, and some more. */
const GRACE_SECONDS = 40;

/** The labels of the app's objects. */
export function labelsOf({ name }: Pick<DeploymentSettings, 'name'>): Record<string, string> {
  return { 'app.kubernetes.io/name': name };
}

/** The Deployment of an app: with probes, leader election, bounded resources and no privileges on its node. */
export function appDeployment(settings: DeploymentSettings, serving: AppServing): Deployment {
  const { name, namespace, replicas } = settings;
  const labels = labelsOf(settings);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: GRACE_SECONDS,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [containerOf(settings, serving)],
        },
      },
      ...(isServing(serving) && !serving.hasSharedAuthority ? { strategy: { type: 'Recreate' } } : {}), // each process has its own certificate
    },
  };
}

function containerOf(settings: DeploymentSettings, serving: AppServing): Container {
  return {
    name: settings.name,
    image: settings.image,
    env: environmentOf(settings, serving),
    ports: [{ name: 'health', containerPort: PORTS.health }, ...servingPorts(serving)],
    livenessProbe: { httpGet: { path: '/livez', port: 'health' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
    resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** The environment variables of `run` in the pod. */
function environmentOf({ name, namespace }: DeploymentSettings, serving: AppServing): EnvVar[] {
  const { healthPort, leaderElection, install, service } = DEPLOYMENT_VARIABLES;
  return [
    { name: healthPort, value: String(PORTS.health) },
    { name: leaderElection, value: 'true' },
    { name: install, value: String(serving.isConverting) }, // definitions exist; conversion needs the authority of this process
    ...(isServing(serving) ? [{ name: service, value: `${namespace}/${name}` }] : []),
  ];
}

/** One port serves everything, unless the app's APIs have a separate server. */
function servingPorts(serving: AppServing): ContainerPort[] {
  return [...(isServing(serving) ? [{ name: 'server', containerPort: PORTS.server }] : [])];
}

/** The Service by which API servers reach the app. */
export function appService(settings: DeploymentSettings, serving: AppServing): Service {
  const { name, namespace } = settings;
  const labels = labelsOf(settings);
  const ports = servingPorts(serving).map(({ name: port, containerPort }) => ({
    name: port,
    port: containerPort,
    targetPort: port,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: { selector: labels, ports },
  };
}
