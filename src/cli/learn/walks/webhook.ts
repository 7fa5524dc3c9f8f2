import type { Walk } from './learn-step.ts';

export const webhook: Walk = {
  id: 'webhook',
  title: 'A webhook that refuses',
  summary: 'Admission asks other programs before anything is stored.',
  steps: [
    {
      title: 'Who is asked',
      text: 'A ValidatingWebhookConfiguration says which requests a program wants to see. This one is asked about ConfigMaps.',
      commands: ['kubectl get validatingwebhookconfigurations'],
      look: 'extensions',
    },
    {
      title: 'Be refused',
      text: 'The webhook answers no, with its reason. The request shows each step that it went through, and which one stopped it.',
      commands: ['kubectl create configmap whale --from-literal=size=huge'],
      isRefused: true,
      look: 'requests',
    },
    {
      title: 'Do as it says',
      text: 'Another value passes. The request was sent to the webhook again: admission remembers nothing.',
      commands: ['kubectl create configmap shrimp --from-literal=size=small'],
      look: 'requests',
    },
  ],
};
