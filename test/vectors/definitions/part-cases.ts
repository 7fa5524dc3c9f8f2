import { type Case, changes, type Json, rootSchema, version } from './base-definition.ts';

const CONVERSION = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } };
const SERVICE = { namespace: 'a', name: 'b' };

/** Certificates that are none. */
const BUNDLE = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString('base64');

function webhook(clientConfig: Json, reviews: Json = ['v1']): (definition: Json) => void {
  return (d) =>
    void (d.spec.conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: reviews } });
}

function column(more: Json): (definition: Json) => void {
  const usual = { name: 'A', type: 'string', jsonPath: '.spec.a' };
  return (d) => void (d.spec.versions[0].additionalPrinterColumns = [{ ...usual, ...more }]);
}

function scale(more: Json): (definition: Json) => void {
  const usual = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.b' };
  return (d) => void (d.spec.versions[0].subresources = { scale: { ...usual, ...more } });
}

const FIELDS = rootSchema({
  color: { type: 'string', enum: ['red'] },
  size: { type: 'integer' },
  on: { type: 'boolean' },
  weight: { type: 'number' },
  tags: { type: 'array', items: { type: 'string' } },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  'a.b': { type: 'string' },
  ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, { type: 'string' }])),
});

function fields(...paths: readonly string[]): (definition: Json) => void {
  return (d) => {
    d.spec.versions[0].schema.openAPIV3Schema = FIELDS;
    d.spec.versions[0].selectableFields = paths.map((jsonPath) => ({ jsonPath }));
  };
}

export const partCases: readonly Case[] = [
  ...changes('conversion', {
    none: (d) => void (d.spec.conversion = { strategy: 'None' }),
    'no strategy': (d) => void (d.spec.conversion = {}),
    'an unknown strategy': (d) => void (d.spec.conversion = { strategy: 'Magic' }),
    'none with a webhook': (d) =>
      void (d.spec.conversion = {
        ...CONVERSION,
        strategy: 'None',
        webhook: { ...CONVERSION.webhook, clientConfig: {} },
      }),
    'a webhook without anything': (d) => void (d.spec.conversion = { strategy: 'Webhook' }),
    'a webhook without a client': (d) => void (d.spec.conversion = CONVERSION),
    'a client without an address': webhook({}),
    'a client with two addresses': webhook({ url: 'https://a', service: SERVICE }),
    'a URL': webhook({ url: 'https://example.com/convert' }),
    'a URL without TLS': webhook({ url: 'http://example.com' }),
    'a URL with everything': webhook({ url: 'https://u:p@example.com/x?y=z#f' }),
    'a URL without a host': webhook({ url: 'https:///x' }),
    'no URL at all': webhook({ url: 'https://%zz' }),
    'an empty URL': webhook({ url: '' }),
    'a relative URL': webhook({ url: 'example.com' }),
    'a service': webhook({ service: SERVICE }),
    'a service without names': webhook({ service: {} }),
    'a service without a name': webhook({ service: { namespace: 'a' } }),
    'a service without a namespace': webhook({ service: { name: 'a' } }),
    'a service with a bad port': webhook({ service: { ...SERVICE, port: 0 } }),
    'a service with a port too large': webhook({ service: { ...SERVICE, port: 70000 } }),
    'a service with a path': webhook({ service: { ...SERVICE, path: '/a/b/' } }),
    'a service with a relative path': webhook({ service: { ...SERVICE, path: 'a/b' } }),
    'a service with gaps in its path': webhook({ service: { ...SERVICE, path: '/a//B_' } }),
    'a service with two slashes': webhook({ service: { ...SERVICE, path: '//' } }),
    'certificates that are none': webhook({ service: SERVICE, caBundle: BUNDLE }),
    'no review versions': webhook({ service: SERVICE }, []),
    'review versions twice': webhook({ service: SERVICE }, ['v1', 'v1', 'v1beta1']),
    'bad review versions': webhook({ service: SERVICE }, ['V1', '']),
    'unknown review versions': webhook({ service: SERVICE }, ['v9']),
    'unknown fields are preserved': (d) => {
      webhook({ service: SERVICE })(d);
      d.spec.preserveUnknownFields = true;
    },
  }),
  ...changes('columns', {
    'a column': column({ description: 'A', priority: 1, format: 'byte' }),
    'no name': column({ name: '' }),
    'no type': column({ type: '' }),
    'an unknown type': column({ type: 'object' }),
    'an unknown format': column({ format: 'uuid' }),
    'no path': column({ jsonPath: '' }),
    'a path without a dot': column({ jsonPath: 'spec.a' }),
    'a path in braces': column({ jsonPath: '{.spec.a}' }),
    'the whole object': column({ jsonPath: '.' }),
    'a path that cannot be read': column({ jsonPath: '.spec[' }),
    'a path with a filter': column({ jsonPath: '.status.conditions[?(@.type=="Ready")].status' }),
    'everything is wrong': column({ name: '', type: 'x', format: 'y', jsonPath: 'z' }),
    'in two versions': (d) => {
      column({ type: '' })(d);
      d.spec.versions.push(version('v2', { additionalPrinterColumns: [{ name: 'B', type: 'string', jsonPath: 'b' }] }));
    },
  }),
  ...changes('subresources', {
    status: (d) => void (d.spec.versions[0].subresources = { status: {} }),
    'none of them': (d) => void (d.spec.versions[0].subresources = {}),
    scale: scale({ labelSelectorPath: '.status.c' }),
    'scale without paths': (d) => void (d.spec.versions[0].subresources = { scale: {} }),
    'paths elsewhere': scale({ specReplicasPath: '.status.a', statusReplicasPath: '.spec.b', labelSelectorPath: '.c' }),
    'paths without a dot': scale({
      specReplicasPath: 'spec.a',
      statusReplicasPath: 'status.b',
      labelSelectorPath: 'c',
    }),
    'an empty selector path': scale({ labelSelectorPath: '' }),
    'a selector path in spec': scale({ labelSelectorPath: '.spec.c' }),
    'the root may only say some things': (d) => {
      d.spec.versions[0].subresources = { status: {} };
      d.spec.versions[0].schema.openAPIV3Schema.maxProperties = 3;
    },
    'the root must be an object': (d) => {
      d.spec.versions[0].subresources = { status: {} };
      d.spec.versions[0].schema.openAPIV3Schema = { type: 'string' };
    },
    'the root may have rules': (d) => {
      d.spec.versions[0].subresources = { status: {} };
      d.spec.versions[0].schema.openAPIV3Schema['x-kubernetes-validations'] = [{ rule: 'has(self.spec)' }];
    },
    'in another version': (d) => {
      d.spec.versions.push(version('v2', { subresources: { status: {} } }));
      d.spec.versions[0].schema.openAPIV3Schema.maxProperties = 3;
    },
  }),
  ...changes('selectable fields', {
    'all types': fields('.spec.color', '.spec.size', '.spec.on'),
    'no path': fields(''),
    'no dot': fields('spec.color'),
    'only a dot': fields('.'),
    'a dot at the end': fields('.spec.color.'),
    'no such field': fields('.spec.colour'),
    'an object': fields('.spec'),
    'a number': fields('.spec.weight'),
    'an array': fields('.spec.tags'),
    'items of an array': fields('.spec.tags[0]'),
    'a map': fields('.spec.labels'),
    'a key of a map': fields('.spec.labels.a'),
    anything: fields('.spec.any'),
    metadata: fields('.metadata.name'),
    brackets: fields(".spec['a.b']"),
    twice: fields('.spec.color', '.spec.size', '.spec.color'),
    eight: fields(...Array.from({ length: 8 }, (_, index) => `.spec.f${index}`)),
    nine: fields(...Array.from({ length: 9 }, (_, index) => `.spec.f${index}`)),
    'without a schema': (d) => {
      fields('.spec.color')(d);
      delete d.spec.versions[0].schema;
    },
    'without a schema in one version': (d) => {
      d.spec.versions.push(version('v2', { schema: undefined, selectableFields: [{ jsonPath: '.spec.a' }] }));
    },
    'in one version of two': (d) => {
      fields('.spec.color', '.spec.none')(d);
      d.spec.versions.push(version('v2'));
    },
  }),
];
