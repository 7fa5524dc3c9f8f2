import type { Manifest } from '../kubectl/manifests.ts';

/** A kind of a definition, with objects of it in each of its versions. */
export interface CustomKind {
  readonly definition: Manifest;
  readonly objects: readonly Manifest[];
}

const GROUP = 'interop.example.com';

const size = { type: 'integer', minimum: 1, default: 3 };
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size,
        limit: { 'x-kubernetes-int-or-string': true },
        peers: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' }, weight: size }, required: ['name'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [{ rule: '!has(self.peers) || self.peers.size() <= self.size' }],
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } }, default: { ready: false } },
  },
};

/** A kind with two versions, defaults, a rule, a status and columns. */
export function customKind(kind: string): CustomKind {
  const plural = `${kind.toLowerCase()}s`;
  const version = { schema: { openAPIV3Schema: schema }, served: true, subresources: { status: {} } };
  const additionalPrinterColumns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
  return {
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural, kind, shortNames: [plural.slice(0, 2)] },
        versions: [
          { ...version, name: 'v1', storage: true, additionalPrinterColumns },
          { ...version, name: 'v1beta1', storage: false, deprecated: true },
        ],
      },
    },
    objects: ['v1', 'v1beta1'].map((name) => ({
      apiVersion: `${GROUP}/${name}`,
      kind,
      metadata: { name: `written-as-${name}`, labels: { app: 'demo' } },
      spec: { limit: '50%', peers: [{ name: 'a' }, { name: 'b', weight: 2 }], any: { goes: [1, 'two', null] } },
    })),
  };
}
