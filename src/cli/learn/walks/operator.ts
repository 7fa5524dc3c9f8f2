import type { Walk } from './learn-step.ts';

export const operator: Walk = {
  id: 'operator',
  title: 'An operator',
  summary: 'A kind and a controller: a Greeting becomes a ConfigMap, and stays one.',
  steps: [
    {
      title: 'Ask for a greeting',
      text: 'A small operator runs in this cluster. It watches Greetings, and wants a ConfigMap for each.',
      commands: ['kubectl get configmap anna -o yaml --ignore-not-found'],
      manifest: `apiVersion: learn.keelson.dev/v1
kind: Greeting
metadata: { name: anna, namespace: default }
spec: { name: Anna }
`,
      look: 'causes?resource=greetings.learn.keelson.dev&namespace=default&name=anna',
    },
    {
      title: 'Change what it made',
      text: 'The operator does not ask what has changed: it compares what is with what should be, and puts the ConfigMap right.',
      commands: [
        'kubectl patch configmap anna --type=merge -p \'{"data":{"greeting":"Go away!"}}\'',
        'kubectl get configmap anna -o yaml',
      ],
      look: 'object/configmaps/default/anna',
    },
    {
      title: 'Take the Greeting away',
      text: 'The ConfigMap names the Greeting as its owner, so the garbage collector deletes it. The operator has nothing to do.',
      commands: ['kubectl delete greeting anna', 'kubectl get configmaps'],
    },
  ],
};
