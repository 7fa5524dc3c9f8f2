import type { DashboardProgram } from '../support/dashboard-cluster.ts';
import { runningPods } from '../support/objects.ts';

const SHOP = '/cluster/api/v1/namespaces/shop';
const APPS = '/cluster/apis/apps/v1/namespaces/shop/deployments';

/** Fills a cluster with a small shop, so that pictures of the dashboard show something. Returns the name of a pod of its web server. */
export async function makeShop(up: DashboardProgram): Promise<string> {
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
  await patch(`${SHOP}/configmaps/settings`, { data: { colour: 'blue' } }, 'ben');
  await patch(`${APPS}/web`, { spec: { replicas: 4 } }, 'ben');
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
  return pods[0] ?? '';
}

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
