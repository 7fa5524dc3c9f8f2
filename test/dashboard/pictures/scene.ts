import type { DashboardProgram } from '../support/dashboard-cluster.ts';
import { runningPods } from '../support/objects.ts';

const SHOP = '/cluster/api/v1/namespaces/shop';
const APPS = '/cluster/apis/apps/v1/namespaces/shop/deployments';

/** Names of pods. */
export interface Shop {
  readonly web: string;
  readonly mailer: string;
}

/** Fills a cluster with a small shop, so that pictures of the dashboard show something. */
export async function makeShop(up: DashboardProgram): Promise<Shop> {
  const post = (path: string, body: object, manager = 'ann'): Promise<unknown> =>
    up.json(`${path}?fieldManager=${manager}`, { method: 'POST', body });
  const patch = (path: string, body: object, manager = 'ann'): Promise<unknown> =>
    up.json(`${path}?fieldManager=${manager}`, { method: 'PATCH', type: 'application/merge-patch+json', body });

  await post('/cluster/api/v1/namespaces', { metadata: { name: 'shop' } });
  await post('/cluster/apis/apiextensions.k8s.io/v1/customresourcedefinitions', websites);
  await post('/cluster/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', fewReplicas);
  await post('/cluster/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
    metadata: { name: 'few-replicas' },
    spec: { policyName: 'few-replicas', validationActions: ['Deny'] },
  });
  await post(`${SHOP}/configmaps`, { metadata: { name: 'settings' }, data: { colour: 'green', currency: 'EUR' } });
  await post(`${SHOP}/secrets`, { metadata: { name: 'payment' }, data: { token: 'c2VjcmV0' } });
  await post(`${SHOP}/services`, {
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
  await post(`${SHOP}/pods`, {
    metadata: { name: 'huge' },
    spec: { containers: [{ name: 'huge', image: 'nginx', resources: { requests: { memory: '2000Gi' } } }] },
  });
  await post(APPS, deployment('web', 'nginx:1.27', 3));
  await post(APPS, deployment('checkout', 'registry.example/checkout:2.3', 2));
  await runningPods(up, 'shop', { app: 'checkout', count: 2 });
  await post(APPS, applied(mailer), 'kubectl-client-side-apply');
  await patch(`${SHOP}/configmaps/settings`, { data: { colour: 'blue' } }, 'ben');
  await patch(`${APPS}/web`, { spec: { replicas: 4 } }, 'ben');
  await patch(`${APPS}/mailer`, { spec: { replicas: 2, minReadySeconds: 0 } }, 'ben');
  await up.request(`${APPS}/web`, {
    method: 'PATCH',
    type: 'application/merge-patch+json',
    body: { spec: { replicas: 50 } },
  }); // refused
  const pods = await runningPods(up, 'shop', { app: 'web', count: 4 });
  await up.json('/cluster/apis/shop.example.com/v1/namespaces/shop/websites/store?fieldManager=ann', {
    method: 'PATCH',
    type: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'shop.example.com/v1',
      kind: 'Website',
      metadata: { name: 'store' },
      spec: { host: 'store.example.com', replicas: 2 },
    },
  });
  const mailers = await runningPods(up, 'shop', { app: 'mailer', count: 2 });
  return { web: pods[0] ?? '', mailer: mailers[0] ?? '' };
}

/** As `kubectl apply` creates it. */
function applied<T extends { readonly metadata: object }>(object: T): object {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const MAILER = { app: 'mailer' };
const mailer = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'mailer', labels: MAILER },
  spec: {
    replicas: 1,
    minReadySeconds: 5,
    selector: { matchLabels: MAILER },
    template: {
      metadata: { labels: MAILER },
      spec: {
        containers: [
          {
            name: 'mailer',
            image: 'registry.example/mailer:2.1',
            command: [
              'sh',
              '-c',
              'echo mailer 2.1 starts; echo connected to queue.shop; echo 3 mails sent; sleep 3600',
            ],
            ports: [{ name: 'inbox', containerPort: 8025 }],
          },
          {
            name: 'metrics',
            image: 'registry.example/exporter:0.9',
            command: ['sh', '-c', 'echo listening on port 9100; echo first scrape by 10.244.0.7; sleep 3600'],
          },
        ],
      },
    },
  },
} as const;

export function deployment(name: string, image: string, replicas: number): object {
  const labels = { app: name };
  return {
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image, ports: [{ containerPort: 80 }] }] } },
    },
  };
}

const websites = {
  metadata: { name: 'websites.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: { plural: 'websites', singular: 'website', kind: 'Website', shortNames: ['ws'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['host'],
                properties: {
                  host: { type: 'string', description: 'The name that visitors type.' },
                  replicas: { type: 'integer', minimum: 1, default: 1, description: 'How many pods serve it.' },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const fewReplicas = {
  metadata: { name: 'few-replicas' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
      ],
    },
    validations: [{ expression: 'object.spec.replicas <= 10', message: 'at most ten replicas in this shop' }],
  },
};
