import type { ValidatingAdmissionPolicy } from '../../api/types/admissionregistration/v1.d.ts';
import type { DaemonSet } from '../../api/types/apps/v1.d.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { NodePlugin } from '../../kit/index.ts';
import { labelsOf } from './app-deployment.ts';
import type { AppObjects } from './app-objects.ts';
import type { DeploymentSettings } from './settings.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io/v1';
/** Namespaces that every cluster has, and that are left as they are. */
const EVERYWHERE = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** The objects that run a plugin of nodes: a DaemonSet with the folders that it works in, and its rights. */
export function pluginObjects(plugin: NodePlugin, settings: DeploymentSettings): AppObjects {
  const { name, namespace } = settings;
  const labels = labelsOf(settings);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } };
  return {
    // folders of the machine are for privileged namespaces only
    namespace: EVERYWHERE.has(namespace)
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: namespace, labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'privileged' } },
          },
        ],
    definitions: [],
    access: [account, ...rights(plugin, settings), ...(plugin.publishesSlices ? sliceRule(settings) : [])],
    deployment: [daemonSet(plugin, settings)],
    registrations: [],
  };
}

function rights({ rules }: NodePlugin, settings: DeploymentSettings): readonly KubernetesObject[] {
  if (rules.length === 0) return [];
  const { name, namespace } = settings;
  const metadata = { name, labels: labelsOf(settings) };
  const role = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules };
  const binding = {
    ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
  return [role, binding];
}

/** RBAC knows no nodes: this policy keeps each pod of the driver to slices of its own node. */
function sliceRule(settings: DeploymentSettings): readonly KubernetesObject[] {
  const { name, namespace } = settings;
  const metadata = { name: `${name}-slices`, labels: labelsOf(settings) };
  const policy: ValidatingAdmissionPolicy = {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['resource.k8s.io'],
            apiVersions: ['*'],
            resources: ['resourceslices'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
          },
        ],
      },
      matchConditions: [
        { name: 'driver', expression: `request.userInfo.username == "system:serviceaccount:${namespace}:${name}"` },
      ],
      variables: [
        {
          name: 'userNode',
          expression: "request.userInfo.extra[?'authentication.kubernetes.io/node-name'][0].orValue('')",
        },
        {
          name: 'sliceNode',
          expression: "(request.operation == 'DELETE' ? oldObject : object).spec.?nodeName.orValue('')",
        },
      ],
      validations: [
        {
          expression: "variables.userNode != ''",
          message: 'the token of the driver names no node, which a token of a pod does',
        },
        {
          expression: 'variables.userNode == variables.sliceNode',
          messageExpression: "'a driver on the node ' + variables.userNode + ' may not change slices of another node'",
        },
      ],
    },
  };
  const binding = {
    ...{ apiVersion: ADMISSION, kind: 'ValidatingAdmissionPolicyBinding', metadata },
    spec: { policyName: metadata.name, validationActions: ['Deny'] },
  };
  return [policy, binding];
}

/** It runs as root, for only root may open sockets in the folder of the node's agent, but without any other right on the machine. */
function daemonSet({ folders }: NodePlugin, settings: DeploymentSettings): DaemonSet {
  const { name, namespace, image } = settings;
  const labels = labelsOf(settings);
  const volumes = folders.map((path, index) => ({
    name: `folder-${index}`,
    hostPath: { path, type: 'DirectoryOrCreate' as const },
  }));
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          priorityClassName: 'system-node-critical',
          containers: [
            {
              name,
              image,
              env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
              resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
              securityContext: {
                runAsUser: 0,
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: folders.map((mountPath, index) => ({ name: `folder-${index}`, mountPath })),
            },
          ],
          volumes,
        },
      },
    },
  };
}
