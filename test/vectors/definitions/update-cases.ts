import {
  baseDefinition,
  type Case,
  type Change,
  changed,
  type Json,
  rootSchema,
  version,
  withField,
  withRules,
} from './base-definition.ts';

/** A definition as a server has it that serves it. */
function stored(definition: Json): Json {
  const { names, versions = [] } = definition.spec;
  const storage = versions.find((one: Json) => one.storage === true)?.name ?? 'v1';
  const condition = (type: string): Json => ({
    type,
    status: 'True',
    lastTransitionTime: '2024-01-01T00:00:00Z',
    reason: 'Because',
    message: 'm',
  });
  return {
    ...definition,
    metadata: {
      ...definition.metadata,
      uid: '11111111-2222-3333-4444-555555555555',
      creationTimestamp: '2024-01-01T00:00:00Z',
      generation: 1,
    },
    spec: { conversion: { strategy: 'None' }, ...definition.spec },
    status: {
      conditions: [condition('NamesAccepted'), condition('Established')],
      acceptedNames: names,
      storedVersions: [storage],
    },
  };
}

function update(name: string, old: Json, change: Change): Case {
  const definition = structuredClone(old);
  change(definition);
  return { name: `update: ${name}`, old: stored(old), definition };
}

/** A valid change for every definition. */
const touch: Change = (d) => void (d.metadata.labels = { a: 'b' });

const unestablished = (one: Case): Case => ({
  ...one,
  old: { ...one.old, status: { ...one.old.status, conditions: [] } },
});

const schemaOf = (d: Json): Json => d.spec.versions[0].schema.openAPIV3Schema;
const xOf = (d: Json): Json => schemaOf(d).properties.spec.properties.x;

const EXPENSIVE = withRules([{ rule: "self.all(x, x.matches('a'))" }], { type: 'array', items: { type: 'string' } });
const webhook = (more: Json, reviews: Json = ['v1']): Json =>
  changed((d) => {
    d.spec.conversion = {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace: 'a', name: 'b', port: 443 }, ...more },
        conversionReviewVersions: reviews,
      },
    };
  });
const NO_BUNDLE = Buffer.from('no certificate').toString('base64');
const manyFields = (count: number): Json =>
  changed((d) => {
    const names = Array.from({ length: count }, (_, index) => `f${index}`);
    d.spec.versions[0].schema.openAPIV3Schema = rootSchema(
      Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    );
    d.spec.versions[0].selectableFields = names.map((name) => ({ jsonPath: `.spec.${name}` }));
  });

/** What was wrong before, and what happens when the definition is written again, as it is and with more of the same. */
const BROKEN: Readonly<Record<string, readonly [old: Json, worse?: Change]>> = {
  'is not structural': [withField({}), (d) => void (schemaOf(d).properties.more = {})],
  'is not structural and keeps unknown fields': [
    changed((d) => {
      d.spec.preserveUnknownFields = true;
      d.spec.versions[0].schema.openAPIV3Schema = { properties: { a: {} } };
    }),
    (d) => void (schemaOf(d).properties.more = {}),
  ],
  'cannot be read as structural': [withField({ type: 'string', $ref: '#/a' })],
  'has no schema': [changed((d) => void delete d.spec.versions[0].schema)],
  'has no schema and keeps unknown fields': [
    changed((d) => {
      delete d.spec.versions[0].schema;
      d.spec.preserveUnknownFields = true;
    }),
    (d) => void (d.spec.preserveUnknownFields = false),
  ],
  'has an unknown type': [withField({ type: 'float' }), (d) => void (xOf(d).type = 'double')],
  'has a default that is not pruned': [
    withField({ type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } }),
    (d) => void (xOf(d).default = { c: 1 }),
  ],
  'has a set of objects': [
    withField({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
    (d) => void (schemaOf(d).properties.spec.properties.y = xOf(d)),
  ],
  'has keys that are optional': [
    withField({
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    }),
    (d) => void (xOf(d).items.nullable = true),
  ],
  'has an expensive rule': [EXPENSIVE, (d) => void (xOf(d).description = 'changed')],
  'has a rule that does not compile': [withRules([{ rule: 'nope' }]), (d) => void (xOf(d).maxLength = 5)],
  'has unknown review versions': [
    webhook({}, ['v9']),
    (d) => void (d.spec.conversion.webhook.conversionReviewVersions = ['v8']),
  ],
  'has certificates that are none': [
    webhook({ caBundle: NO_BUNDLE }),
    (d) => void (d.spec.conversion.webhook.clientConfig.caBundle = Buffer.from('none either').toString('base64')),
  ],
  'has many selectable fields': [manyFields(10), (d) => void d.spec.versions[0].selectableFields.pop()],
  'has an unknown format': [
    withField({ type: 'string', format: 'odd' }),
    (d) => void (schemaOf(d).properties.spec.properties.y = { type: 'string', format: 'odder' }),
  ],
  'has an unapproved group': [
    changed((d) => {
      d.spec.group = 'x.k8s.io';
      d.metadata.name = 'widgets.x.k8s.io';
    }),
    (d) => void (d.metadata.annotations = { 'api-approved.kubernetes.io': 'nonsense' }),
  ],
  'has a field with unique items': [withField({ type: 'array', items: { type: 'string' }, uniqueItems: true })],
};

const base = baseDefinition();
const two = changed((d) => void d.spec.versions.push(version('v2')));

export const updateCases: readonly Case[] = [
  ...Object.entries(BROKEN).flatMap(([name, [old, worse]]) => [
    update(`what ${name} stays`, old, touch),
    ...(worse === undefined ? [] : [update(`what ${name} gets worse`, old, worse)]),
  ]),
  update('nothing', base, () => {}),
  update('labels', base, touch),
  update('the scope', base, (d) => void (d.spec.scope = 'Cluster')),
  unestablished(update('the scope before it is established', base, (d) => void (d.spec.scope = 'Cluster'))),
  update('the kind', base, (d) => void (d.spec.names.kind = 'Gadget')),
  unestablished(update('the kind before it is established', base, (d) => void (d.spec.names.kind = 'Gadget'))),
  update('the group', base, (d) => void (d.spec.group = 'other.com')),
  update('the plural', base, (d) => void (d.spec.names.plural = 'gadgets')),
  update('short names and categories', base, (d) => {
    d.spec.names.shortNames = ['w'];
    d.spec.names.categories = ['all'];
  }),
  update('the stored version goes', base, (d) => void (d.spec.versions = [version('v2', { storage: true })])),
  update('another version is stored', two, (d) => {
    d.spec.versions[0].storage = false;
    d.spec.versions[1].storage = true;
  }),
  update('a version that was never stored goes', two, (d) => void d.spec.versions.pop()),
  update('unknown fields are preserved from now on', base, (d) => void (d.spec.preserveUnknownFields = true)),
  update('a rule that does not compile', base, (d) => {
    schemaOf(d).properties.spec['x-kubernetes-validations'] = [{ rule: 'nope' }];
  }),
  update('an expensive rule', withField({ type: 'array', items: { type: 'string' } }), (d) => {
    xOf(d)['x-kubernetes-validations'] = [{ rule: "self.all(x, x.matches('a'))" }];
  }),
  update('an expensive rule moves to another version', EXPENSIVE, (d) => {
    d.spec.versions.push({ ...d.spec.versions[0], name: 'v2', storage: false });
  }),
  update('certificates that are none', webhook({}), (d) => {
    d.spec.conversion.webhook.clientConfig.caBundle = NO_BUNDLE;
  }),
  update('certificates that are half ones', webhook({}), (d) => {
    const text = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    d.spec.conversion.webhook.clientConfig.caBundle = Buffer.from(text).toString('base64');
  }),
  update('certificates of another kind', webhook({}), (d) => {
    const text = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
    d.spec.conversion.webhook.clientConfig.caBundle = Buffer.from(text).toString('base64');
  }),
  unestablished(
    update('certificates that are none before it is established', webhook({}), (d) => {
      d.spec.conversion.webhook.clientConfig.caBundle = NO_BUNDLE;
    }),
  ),
  update(
    'approval goes',
    changed((d) => {
      d.spec.group = 'x.k8s.io';
      d.metadata = { name: 'widgets.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'https://a/b' } };
    }),
    (d) => void delete d.metadata.annotations,
  ),
  update(
    'another format that is unknown',
    withField({ type: 'string', format: 'odd' }),
    (d) => void (xOf(d).format = 'odder'),
  ),
];
