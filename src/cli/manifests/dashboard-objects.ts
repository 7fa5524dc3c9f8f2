import type { Deployment } from '../../api/types/apps/v1.d.ts';
import type { Service } from '../../api/types/core/v1.d.ts';
import type { KubernetesObject } from '../../client/index.ts';
import { labelsOf, PORTS } from './app-deployment.ts';

/** How a dashboard is deployed. */
export interface DashboardDeployment {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
}

/**
 * The objects of a dashboard in a cluster. Its account has no rights: each viewer brings a token of their own, and is reached through the API
 * server's proxy of Services, which asks who they are as well.
 */
export function dashboardObjects({ name, namespace, image }: DashboardDeployment): readonly KubernetesObject[] {
  const labels = labelsOf({ name });
  const metadata = { name, namespace, labels };
  const enforced = { ...labels, 'pod-security.kubernetes.io/enforce': 'restricted' };
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: labels, ports: [{ port: 443, targetPort: 'https' }] }, // without a name, so that its address needs none
  };
  const deployment: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name, // for the address and the certificate authority of the API server
          securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'dashboard',
              image,
              command: ['keelson'],
              args: ['dashboard', '--viewer-tokens', '--bind-address=0.0.0.0', `--port=${PORTS.server}`],
              ports: [{ name: 'https', containerPort: PORTS.server }],
              readinessProbe: { httpGet: { path: '/', port: 'https', scheme: 'HTTPS' } },
              resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '512Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: enforced } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    service,
    deployment,
  ];
}
