import type { Walk } from './learn-step.ts';

const pod = (name: string, desk: string): string => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: default
  labels: { desk: ${desk} }
spec:
  containers: [{ name: main, image: nginx }]
`;

export const extender: Walk = {
  id: 'extender',
  title: 'An extender of the scheduler',
  summary: 'After its own plugins, the scheduler asks another program about nodes.',
  steps: [
    {
      title: 'A pod that fits nowhere',
      text: 'An extender runs in this cluster: a pod with the label `desk` only fits a node with the same label. No node has it, so the pod waits, and an event says why.',
      commands: ['kubectl get events --field-selector involvedObject.name=clerk', 'kubectl get pod clerk'],
      manifest: pod('clerk', 'window'),
      look: 'object/pods/default/clerk',
    },
    {
      title: 'Give a node a desk',
      text: 'The change of the node is a reason to try the pod again. Now the extender lets it pass.',
      commands: ['kubectl label nodes --all desk=window --overwrite', 'kubectl get pod clerk -o wide'],
      look: 'extensions',
    },
  ],
};
