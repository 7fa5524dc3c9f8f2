import type { Walk } from './learn-step.ts';

export const definition: Walk = {
  id: 'definition',
  title: 'A kind of your own',
  summary: 'A CustomResourceDefinition teaches the API server a new kind.',
  steps: [
    {
      title: 'Define it',
      text: 'The definition has the names of the kind and a schema for its objects. A moment later the API server serves it, and `kubectl` knows it.',
      commands: ['kubectl wait --for=condition=Established crd/boats.harbour.example.dev'],
      manifest: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.harbour.example.dev
spec:
  group: harbour.example.dev
  scope: Namespaced
  names: { plural: boats, singular: boat, kind: Boat, shortNames: [bt] }
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns:
        - { name: Crew, type: integer, jsonPath: .spec.crew }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [crew]
              properties:
                crew: { type: integer, minimum: 1, maximum: 20 }
`,
      look: 'list/customresourcedefinitions.apiextensions.k8s.io',
    },
    {
      title: 'Create an object',
      text: 'It is stored and listed like any other. Nothing happens because of it: a kind without a controller is only data.',
      commands: ['kubectl get boats'],
      manifest: `apiVersion: harbour.example.dev/v1
kind: Boat
metadata: { name: anna, namespace: default }
spec: { crew: 4 }
`,
      look: 'list/boats.harbour.example.dev?namespace=default',
    },
    {
      title: 'Break a rule',
      text: 'The schema refuses what does not fit, before anything is stored.',
      commands: ['kubectl patch boat anna --type=merge -p \'{"spec":{"crew":50}}\''],
      isRefused: true,
    },
  ],
};
