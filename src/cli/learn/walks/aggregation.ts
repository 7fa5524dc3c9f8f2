import type { Walk } from './learn-step.ts';

export const aggregation: Walk = {
  id: 'aggregation',
  title: 'An API server behind the API server',
  summary: 'Another program serves a group of its own, and clients do not notice.',
  steps: [
    {
      title: 'Who serves what',
      text: 'An APIService sends all requests for a group and version to another server. Here that is a small program that keeps toys in memory.',
      commands: [
        'kubectl get apiservice v1.shop.learn.keelson.dev',
        'kubectl api-resources --api-group=shop.learn.keelson.dev',
      ],
      look: 'extensions',
    },
    {
      title: 'Use it',
      text: 'The API server authenticates and authorizes the request, and passes it on with your name. What the other server does with it is its own business: there is no schema in the cluster, and nothing in its store.',
      commands: ['kubectl get toys'],
      manifest: `apiVersion: shop.learn.keelson.dev/v1
kind: Toy
metadata: { name: car, namespace: default }
spec: { color: red }
`,
      look: 'list/toys.shop.learn.keelson.dev?namespace=default',
    },
  ],
};
