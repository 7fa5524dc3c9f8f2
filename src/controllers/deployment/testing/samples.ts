// Builders of Deployments and ReplicaSets for tests.
import type { Deployment, DeploymentSpec, DeploymentStatus, ReplicaSetStatus } from '../../../api/types/apps/v1.d.ts';
import type { Observed } from '../../../client/index.ts';
import { type DeploymentView, viewDeployment } from '../deployment-view.ts';
import type { ReplicaSetObject } from '../replica-sets.ts';

export const NOW = Date.UTC(2026, 0, 1, 12);

/** A timestamp this many seconds before now. */
export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export interface DeploymentFacts {
  readonly spec?: Partial<DeploymentSpec>;
  readonly status?: DeploymentStatus;
  readonly annotations?: Record<string, string>;
  readonly image?: string;
}

export function deployment({
  spec = {},
  status,
  annotations = {},
  image = 'new',
}: DeploymentFacts = {}): Observed<Deployment> {
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'web-uid',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: ago(3600),
      annotations,
    },
    spec: {
      replicas: 10,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      template: template(image),
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

export function view(facts: DeploymentFacts = {}): DeploymentView {
  return viewDeployment(deployment(facts));
}

/** A view with the given maxSurge and maxUnavailable. */
export function rolling(
  replicas: number,
  rollingUpdate: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string },
): DeploymentView {
  return view({ spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate } } });
}

export interface SetFacts {
  readonly image?: string;
  readonly ageSeconds?: number;
  readonly annotations?: Record<string, string>;
  readonly status?: Partial<ReplicaSetStatus>;
  readonly isDeleted?: boolean;
}

export function set(name: string, replicas: number, facts: SetFacts = {}): ReplicaSetObject {
  const { image = 'old', ageSeconds = 60, annotations = {}, status = {}, isDeleted = false } = facts;
  return {
    kind: 'ReplicaSet',
    apiVersion: 'apps/v1',
    metadata: {
      name,
      namespace: 'default',
      uid: `${name}-uid`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: ago(ageSeconds),
      annotations,
      ...(isDeleted ? { deletionTimestamp: ago(1) } : {}),
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': name } },
      template: template(image, name),
    },
    status: { replicas, observedGeneration: 1, ...status },
  };
}

function template(image: string, hash?: string): DeploymentSpec['template'] {
  const labels = { app: 'web', ...(hash === undefined ? {} : { 'pod-template-hash': hash }) };
  return { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
}
