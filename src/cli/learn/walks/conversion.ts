import type { Walk } from './learn-step.ts';

export const conversion: Walk = {
  id: 'conversion',
  title: 'A conversion',
  summary: 'One object, two versions: a webhook turns each into the other.',
  steps: [
    {
      title: 'Write the old version',
      text: 'Version `v1beta1` of a Cache has `replicas`. The object is stored as `v1`, which calls the same thing `size`.',
      commands: [],
      manifest: `apiVersion: cache.learn.keelson.dev/v1beta1
kind: Cache
metadata: { name: pages, namespace: default }
spec: { replicas: 3 }
`,
      look: 'list/caches.cache.learn.keelson.dev?namespace=default',
    },
    {
      title: 'Read both',
      text: 'The API server asks the webhook whenever a client wants another version than the stored one. Clients of old and new versions see the same object.',
      commands: [
        'kubectl get caches.v1.cache.learn.keelson.dev pages -o yaml',
        'kubectl get caches.v1beta1.cache.learn.keelson.dev pages -o yaml',
      ],
    },
    {
      title: 'Where it is said',
      text: 'The definition names the webhook under `spec.conversion`, and lists which version is stored.',
      commands: ['kubectl get crd caches.cache.learn.keelson.dev -o yaml'],
      look: 'object/customresourcedefinitions.apiextensions.k8s.io//caches.cache.learn.keelson.dev',
    },
  ],
};
