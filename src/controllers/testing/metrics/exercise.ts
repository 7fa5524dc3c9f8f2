// Gives every controller with metrics some work, so that each metric has a value.
import { type Client, mergePatch } from '../../../client/index.ts';

/** The cluster that the exercise runs in. */
export interface ExercisePlace {
  readonly client: Client;
  /** Advances time and waits for the controllers. */
  pass(seconds: number): Promise<void>;
}

const NAMESPACE = 'exercise';
const DRIVER = 'exercise.example';
const container = { name: 'c', image: 'registry.example/app:1' };

/** Gives the controllers work. Assumes a node or two and a running scheduler. */
export async function exercise({ client, pass }: ExercisePlace): Promise<void> {
  await client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
  await pass(2);
  const [first = '', second = first] = (await client.core.v1.nodes.list()).items.map(({ metadata }) => metadata.name);
  await workloads(client);
  await jobs(client);
  await networks(client);
  await volumes(client, first);
  await pass(30);
  await attach(client);
  const { deployments } = client.apps.v1;
  await deployments.namespace(NAMESPACE).patch('web', mergePatch({ spec: { replicas: 1 } }));
  await strayPods(client);
  const unwell = { spec: { taints: [{ key: 'unwell', effect: 'NoExecute' }] } };
  await client.core.v1.nodes.patch(second, mergePatch(unwell));
  await client.discovery.v1.endpointslices.namespace(NAMESPACE).deleteCollection();
  await pass(75);
}

async function workloads(client: Client): Promise<void> {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
  const selector = { matchLabels: { app: 'web' } };
  const { deployments, statefulsets, daemonsets } = client.apps.v1;
  await deployments
    .namespace(NAMESPACE)
    .create({ metadata: { name: 'web' }, spec: { replicas: 4, selector, template } });
  const own = (app: string): { selector: object; template: typeof template } => ({
    selector: { matchLabels: { app } },
    template: { ...template, metadata: { labels: { app } } },
  });
  await statefulsets
    .namespace(NAMESPACE)
    .create({ metadata: { name: 'db' }, spec: { serviceName: 'db', replicas: 2, ...own('db') } });
  await daemonsets.namespace(NAMESPACE).create({ metadata: { name: 'agent' }, spec: own('agent') });
  await client.autoscaling.v2.horizontalpodautoscalers.namespace(NAMESPACE).create({
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  });
}

async function jobs(client: Client): Promise<void> {
  const all = client.batch.v1.jobs.namespace(NAMESPACE);
  const template = (exitCode: string): object => ({
    metadata: { annotations: { 'sim.keelson.dev/exit-code': exitCode } },
    spec: { restartPolicy: 'Never', containers: [container] },
  });
  const create = (name: string, spec: object): Promise<unknown> =>
    all.create({ metadata: { name }, spec: spec as never });
  await create('once', { template: template('0'), ttlSecondsAfterFinished: 1 });
  await create('indexed', { template: template('0'), completions: 2, completionMode: 'Indexed' });
  const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }];
  await create('fails', { template: template('3'), podFailurePolicy: { rules } });
  await create('elsewhere', { template: template('0'), managedBy: 'example.com/other' });
  const jobTemplate = { spec: { template: template('0') as never } };
  await client.batch.v1.cronjobs
    .namespace(NAMESPACE)
    .create({ metadata: { name: 'minutely' }, spec: { schedule: '* * * * *', jobTemplate } });
}

async function networks(client: Client): Promise<void> {
  const services = client.core.v1.services.namespace(NAMESPACE);
  const ports = [{ port: 80 }];
  await services.create({ metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports } });
  const near = { selector: { app: 'web' }, ports, trafficDistribution: 'PreferClose' };
  await services.create({ metadata: { name: 'near' }, spec: near });
  await services.create({ metadata: { name: 'by-hand' }, spec: { ports } });
  const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports }];
  await client.core.v1.endpoints.namespace(NAMESPACE).create({ metadata: { name: 'by-hand' }, subsets });
}

async function volumes(client: Client, nodeName: string): Promise<void> {
  const { persistentvolumes, persistentvolumeclaims, pods } = client.core.v1;
  const accessModes = ['ReadWriteOnce' as const];
  const resources = { requests: { storage: '1Gi' } };
  const csi = { driver: DRIVER, volumeHandle: 'handle' };
  const volume = { capacity: { storage: '1Gi' }, accessModes, storageClassName: 'by-hand' };
  await client.storage.v1.csidrivers.create({ metadata: { name: csi.driver }, spec: { attachRequired: true } });
  await client.storage.v1.storageclasses.create({ metadata: { name: 'nobody' }, provisioner: DRIVER });
  await persistentvolumes.create({ metadata: { name: 'exercise' }, spec: { ...volume, csi } });
  await persistentvolumes.create({
    metadata: { name: 'spare' },
    spec: { ...volume, storageClassName: 'other', csi: { ...csi, volumeHandle: 'other' } },
  });
  const claims = persistentvolumeclaims.namespace(NAMESPACE);
  await claims.create({ metadata: { name: 'bound' }, spec: { accessModes, resources, storageClassName: 'by-hand' } });
  await claims.create({ metadata: { name: 'waits' }, spec: { accessModes, resources, storageClassName: 'nobody' } });
  const spec = { accessModes, resources, storageClassName: 'nobody' };
  await pods.namespace(NAMESPACE).create({
    metadata: { name: 'scratch' },
    spec: {
      containers: [container],
      volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }],
    },
  });
  await pods.namespace(NAMESPACE).create({
    metadata: { name: 'user' },
    spec: {
      nodeName,
      containers: [container],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'bound' } }],
    },
  });
}

/** What the CSI driver would report. */
async function attach(client: Client): Promise<void> {
  const { volumeattachments } = client.storage.v1;
  for (const { metadata, spec } of (await volumeattachments.list()).items)
    if (spec.attacher === DRIVER)
      await volumeattachments.status.patch(metadata.name, mergePatch({ status: { attached: true } }));
}

/** Pods that the pod garbage collector force-deletes. */
async function strayPods(client: Client): Promise<void> {
  const pods = client.core.v1.pods.namespace(NAMESPACE);
  await pods.create({ metadata: { name: 'stray' }, spec: { nodeName: 'gone', containers: [container] } });
  await pods.create({
    metadata: { name: 'unscheduled' },
    spec: { schedulerName: 'nobody', containers: [container], terminationGracePeriodSeconds: 3600 },
  });
  await pods.delete('unscheduled');
}
