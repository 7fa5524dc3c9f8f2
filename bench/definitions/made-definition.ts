const GROUPS = 50;

/** A definition of 155 described fields in three levels: about 21 KB of JSON. */
export function madeDefinition(index: number): { readonly object: object; readonly listPath: string } {
  const group = `g${index % GROUPS}.example.com`;
  const plural = `things${index}`;
  return {
    object: definition({ group, plural, kind: `Thing${index}`, spec: fields(5, 2) }),
    listPath: `/apis/${group}/v1/${plural}`,
  };
}

/** The kind whose objects are held against ConfigMaps: members of several types, defaults, a keyed list and a rule. */
export const cacheDefinition = definition({
  group: 'bench.example.com',
  plural: 'caches',
  kind: 'Cache',
  spec: {
    type: 'object',
    required: ['text'],
    properties: {
      text: { type: 'string', maxLength: 1000 },
      size: { type: 'integer', minimum: 1, default: 3 },
      policy: { type: 'string', enum: ['LRU', 'LFU'], default: 'LRU' },
      ports: {
        type: 'array',
        maxItems: 10,
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string', pattern: '^[a-z]+$' }, port: { type: 'integer' } },
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    },
    'x-kubernetes-validations': [{ rule: 'self.size < 100' }],
  },
});

const text = 'x'.repeat(600);
const metadata = { labels: { app: 'load' } };

/** Two kinds of objects of about the same size. */
export const comparedKinds = [
  {
    name: 'ConfigMap',
    collection: '/api/v1/namespaces/default/configmaps',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } },
  },
  {
    name: 'custom object',
    collection: '/apis/bench.example.com/v1/namespaces/default/caches',
    object: {
      apiVersion: 'bench.example.com/v1',
      kind: 'Cache',
      metadata,
      spec: { text, size: 5, ports: [{ name: 'web', port: 80 }] },
    },
  },
] as const;

function definition(of: {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly spec: object;
}): object {
  const { group, plural, kind, spec } = of;
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

function fields(count: number, depth: number): object {
  const description = 'A description of the field with some words in it, as people write them, to say what it is for.';
  const member = (): object => (depth === 0 ? { type: 'string', description } : fields(count, depth - 1));
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, member()]));
  return { type: 'object', description, properties };
}
