import type { HostileRequest, MeasuredServer } from '../hostile/measured-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const YAML = { 'content-type': 'application/yaml' };
const keys = Array.from({ length: 60_000 }, (_unused, index) => `key${index}`);
const data = Object.fromEntries(keys.map((key) => [key, 'v']));
const yamlLines = keys.map((key) => `  ${key}: "v"\n`);
const yamlData = `data:\n${yamlLines.join('')}`;
/** With managedFields, more do not fit into one object. */
const someYamlData = `data:\n${yamlLines.slice(0, 40_000).join('')}`;

/** A request that is heavy work for the server; made before it is timed. */
export interface HeavyRequest {
  readonly name: string;
  readonly request: (round: number) => Omit<HostileRequest, 'name'>;
  /** Done before each round. */
  readonly before?: (server: MeasuredServer, round: number) => Promise<void>;
}

/** What the requests need to be there. */
export async function prepare(server: MeasuredServer): Promise<void> {
  await post(server, MAPS, { metadata: { name: 'large' }, data });
  for (let index = 0; index < 2_000; index++) {
    const labels = { number: String(index) };
    await post(server, MAPS, { metadata: { name: `small-${index}`, labels }, data: { a: 'b' } });
  }
}

type Json = Readonly<Record<string, unknown>>;

function created(name: string, path: string, make: (round: number) => Json): HeavyRequest {
  const metadata = { generateName: 'a-' };
  return {
    name,
    request: (round) => ({ method: 'POST', path, body: JSON.stringify({ metadata, ...make(round) }) }),
  };
}

function createdYaml(name: string, text: string): HeavyRequest {
  return { name, request: () => ({ method: 'POST', path: MAPS, headers: YAML, body: text }) };
}

function patched(name: string, type: string, make: (round: number) => unknown): HeavyRequest {
  const headers = { 'content-type': `application/${type}` };
  return {
    name,
    request: (round) => ({ method: 'PATCH', path: `${MAPS}/large`, headers, body: JSON.stringify(make(round)) }),
  };
}

function applied(name: string, object: (round: number) => string): HeavyRequest {
  return {
    name,
    request: (round) => ({
      method: 'PATCH',
      path: `${MAPS}/${object(round)}?fieldManager=m&force=true`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${object(round)}}\n${someYamlData}`,
    }),
  };
}

function got(name: string, path: string, accept = 'application/json'): HeavyRequest {
  return { name, request: () => ({ method: 'GET', path, headers: { accept } }) };
}

function valuesOf(value: string): Json {
  return { data: Object.fromEntries(keys.map((key) => [key, value])) };
}

/** One for every kind of work, about as large as it may be. */
export const HEAVY_REQUESTS: readonly HeavyRequest[] = [
  created('JSON: 60,000 keys', MAPS, () => ({ data })),
  created('JSON: one text of 1 MB', MAPS, () => ({ data: { a: 'x'.repeat(1_000_000) } })),
  created('JSON: 60,000 fractions', '/apis/apps/v1/namespaces/default/controllerrevisions', () => ({
    revision: 1,
    data: { a: keys.map((_key, index) => index + 0.5) },
  })),
  created('JSON: 60,000 unknown members', MAPS, () => data),
  created('JSON: 30,000 labels', MAPS, () => ({
    metadata: { generateName: 'a-', labels: Object.fromEntries(keys.slice(0, 30_000).map((key) => [key, 'v'])) },
  })),
  created('JSON: 10,000 containers', '/api/v1/namespaces/default/pods', () => ({
    spec: { containers: keys.slice(0, 10_000).map((name) => ({ name, image: 'i' })) },
  })),
  created('JSON: 900,000 finalizers', MAPS, () => ({
    metadata: { generateName: 'a-', finalizers: Array.from({ length: 900_000 }, () => '') },
  })),
  created('JSON: a Secret of 30,000 keys', '/api/v1/namespaces/default/secrets', () => ({
    data: Object.fromEntries(keys.slice(0, 30_000).map((key) => [key, 'djE='])),
  })),
  createdYaml('YAML: 60,000 keys', `metadata: {generateName: a-}\n${yamlData}`),
  createdYaml(
    'YAML: 100,000 lines of a text',
    `metadata: {generateName: a-}\ndata:\n  a: |\n${'    line\n'.repeat(100_000)}`,
  ),
  createdYaml('YAML: 100,000 items', `metadata:\n  generateName: a-\n  finalizers:\n${'  - a\n'.repeat(100_000)}`),
  {
    name: 'PUT: 60,000 keys',
    request: (round) => ({
      method: 'PUT',
      path: `${MAPS}/large`,
      body: JSON.stringify({ metadata: { name: 'large' }, data: { ...data, round: String(round) } }),
    }),
  },
  patched('merge patch: one key among 60,000', 'merge-patch+json', (round) => ({ data: { patched: String(round) } })),
  patched('merge patch: 60,000 keys', 'merge-patch+json', (round) => valuesOf(`m${round}`)),
  patched('strategic merge patch: 60,000 keys', 'strategic-merge-patch+json', (round) => valuesOf(`s${round}`)),
  patched('JSON patch: 9,000 operations', 'json-patch+json', () =>
    keys.slice(0, 9_000).map((key) => ({ op: 'replace', path: `/data/${key}`, value: 'j' })),
  ),
  applied('apply: 40,000 keys', (round) => `applied-${round}`),
  applied('apply again: 40,000 keys', () => 'applied-0'),
  got('GET: 60,000 keys', `${MAPS}/large`),
  got('GET: 60,000 keys as YAML', `${MAPS}/large`, 'application/yaml'),
  got('GET: 60,000 keys, indented', `${MAPS}/large?pretty=true`),
  got('GET: 60,000 keys as protobuf', `${MAPS}/large`, 'application/vnd.kubernetes.protobuf'),
  got('list: 2,000 objects', MAPS),
  got('list: a table of 2,000 objects', MAPS, 'application/json;as=Table;v=v1;g=meta.k8s.io'),
  got('list: 2,000 objects as YAML', MAPS, 'application/yaml'),
  got(
    'list: a selector of 5,000 terms',
    `${MAPS}?labelSelector=${keys
      .slice(0, 5_000)
      .map((key) => `!${key}`)
      .join(',')}`,
  ),
  created('definition: 2,000 properties', DEFINITIONS, (round) => definition(`narrow${round}`, 2_000)),
  created('definition: 20,000 properties', DEFINITIONS, (round) => definition(`wide${round}`, 20_000)),
  {
    ...got('OpenAPI v2 after a definition', '/openapi/v2'),
    before: (server, round) => post(server, DEFINITIONS, definition(`open${round}`, 10)),
  },
  ...[
    ['of 3,000 terms', keys.slice(0, 3_000).map((key) => `${key}!=v`)],
    ['of 3,000 terms with lists', keys.slice(0, 3_000).map((key) => `${key} notin (a,b)`)],
    ['in one list of 20,000 values', [`number in (${keys.slice(0, 20_000).join(',')})`]],
  ].map(([name, terms]) =>
    got(
      `list: a selector ${String(name)}`,
      `${MAPS}?labelSelector=${encodeURIComponent((terms as string[]).join(','))}`,
    ),
  ),
  created('Deployment: a selector of 3,000 terms', '/apis/apps/v1/namespaces/default/deployments', () => {
    const matchExpressions = keys.slice(0, 3_000).map((key) => ({ key, operator: 'NotIn', values: ['a', 'b', 'c'] }));
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    return { spec: { selector: { matchLabels: { app: 'a' }, matchExpressions }, template } };
  }),
  created('CronJob: a list of 300,000 values', '/apis/batch/v1/namespaces/default/cronjobs', () => ({
    spec: {
      schedule: `${Array.from({ length: 300_000 }, (_unused, index) => index % 60).join(',')} * * * *`,
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
    },
  })),
  {
    name: 'apply: beside 120 managers of 60 fields',
    before: (server, round) => (round === 0 ? makeManagers(server) : Promise.resolve()),
    request: (round) => appliedBy('last', { path: `${MAPS}/managed`, fields: fieldsOf(120, String(round)) }),
  },
  {
    name: 'apply: fields of 120 managers',
    request: (round) => appliedBy('all', { path: `${MAPS}/managed`, fields: allFields(`v${round}`) }),
  },
  ...[
    ['a pattern on 1 MB', '^[a-z]+$', 'x'.repeat(1_000_000)],
    ['a pattern that is not anchored on 1 MB', 'y$', 'x'.repeat(1_000_000)],
    ['a pattern with alternatives on 1 MB', '^([a-w]|x|y)*z?$', 'x'.repeat(1_000_000)],
    ['a pattern with nested counts on 100 KB', '(x{1,500}){1,2}$', `${'x'.repeat(100_000)}y`],
    ['a pattern with many states on 1 MB', '^(a|x){0,900}[^q]*(x|y){0,900}[wx]$', 'x'.repeat(1_000_000)],
    ['a pattern whose automaton explodes on 300 KB', '(a|b)*a(a|b){20}$', `${mixed(300_000)}c`],
  ].map(([name = '', pattern = '', text = ''], index) => ({
    ...created(`object: ${name}`, `/apis/heavy.example/v1/namespaces/default/patterned${index}s`, () => ({
      apiVersion: 'heavy.example/v1',
      kind: `Kpatterned${index}`,
      spec: { a: text },
    })),
    before: defined(`patterned${index}`, { a: { type: 'string', pattern } }),
  })),
  created('definition: 2,500 rules', DEFINITIONS, (round) =>
    definitionOf(
      `ruled${round}`,
      { a: { type: 'integer' } },
      {
        'x-kubernetes-validations': Array.from({ length: 2_500 }, (_unused, index) => ({ rule: `self.a != ${index}` })),
      },
    ),
  ),
  created('definition: 2,500 rules of many fields', DEFINITIONS, (round) =>
    definitionOf(`manyruled${round}`, ruledFields()),
  ),
  {
    name: 'object: the first of a kind with 2,500 rules',
    before: (server, round) => defined(`first${round}`, ruledFields())(server, 0),
    request: (round) => ({
      method: 'POST',
      path: `/apis/heavy.example/v1/namespaces/default/first${round}s`,
      body: JSON.stringify({
        apiVersion: 'heavy.example/v1',
        kind: `Kfirst${round}`,
        metadata: { generateName: 'a-' },
        spec: { key1: 'a' },
      }),
    }),
  },
  created('definition: a default of 1 MB', DEFINITIONS, (round) =>
    definitionOf(`defaulted${round}`, {
      a: {
        type: 'array',
        items: { type: 'object', properties: { b: { type: 'string' }, c: { type: 'integer' } } },
        default: keys.slice(0, 40_000).map((b, c) => ({ b, c })),
      },
    }),
  ),
  created('definition: 5,000 defaults', DEFINITIONS, (round) =>
    definitionOf(
      `manydefaulted${round}`,
      Object.fromEntries(
        keys.slice(0, 5_000).map((key) => [key, { type: 'string', default: 'x'.repeat(100), maxLength: 200 }]),
      ),
    ),
  ),
  ...[1_000, 100_000].map((count, index) => ({
    ...created(
      `object: a default of 1 KB in ${count} items`,
      `/apis/heavy.example/v1/namespaces/default/growing${index}s`,
      () => ({
        apiVersion: 'heavy.example/v1',
        kind: `Kgrowing${index}`,
        spec: { items: Array.from({ length: count }, () => ({})) },
      }),
    ),
    before: defined(`growing${index}`, {
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            a: {
              type: 'object',
              additionalProperties: { type: 'string' },
              default: Object.fromEntries(keys.slice(0, 60).map((key) => [key, 'v'])),
            },
          },
        },
      },
    }),
  })),
  {
    name: 'deletecollection of 2,000',
    request: () => ({ method: 'DELETE', path: `${MAPS}?labelSelector=number` }),
  },
];

function definition(name: string, count: number): Json {
  const properties = Object.fromEntries(
    keys.slice(0, count).map((key) => [key, { type: 'string', description: 'A place.', maxLength: 10 }]),
  );
  return definitionOf(name, properties);
}

function definitionOf(name: string, properties: Json, more: Json = {}): Json {
  return {
    metadata: { name: `${name}s.heavy.example` },
    spec: {
      group: 'heavy.example',
      scope: 'Namespaced',
      names: { plural: `${name}s`, singular: name, kind: `K${name}` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties, ...more } } },
          },
        },
      ],
    },
  };
}

/** Defines a kind before the first round, and waits until it is served. */
function defined(name: string, properties: Json): NonNullable<HeavyRequest['before']> {
  return async (server, round) => {
    if (round > 0) return;
    await post(server, DEFINITIONS, definitionOf(name, properties));
    const path = `/apis/heavy.example/v1/namespaces/default/${name}s`;
    for (let code = 0; code !== 200;) {
      await new Promise((resolve) => void setImmediate(resolve));
      ({ code } = await server.measure({ name: '', method: 'GET', path }));
    }
  };
}

function ruledFields(): Json {
  return Object.fromEntries(
    keys.slice(0, 2_500).map((key, index) => [
      key,
      {
        type: 'string',
        maxLength: 10,
        'x-kubernetes-validations': [{ rule: `self.startsWith("a") || self == "${index}"` }],
      },
    ]),
  );
}

/** Letters in an order that does not repeat. */
function mixed(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state > 2 ** 30 ? 'a' : 'b';
  }).join('');
}

const FIELDS = 60;

/** The fields that the manager of that number applies. */
function fieldsOf(manager: number, value: string): Json {
  return Object.fromEntries(Array.from({ length: FIELDS }, (_unused, index) => [`m${manager}-${index}`, value]));
}

function allFields(value: string): Json {
  return Object.assign({}, ...Array.from({ length: 120 }, (_unused, index) => fieldsOf(index, value))) as Json;
}

function appliedBy(
  manager: string,
  { path, fields }: { readonly path: string; readonly fields: Json },
): Omit<HostileRequest, 'name'> {
  return {
    method: 'PATCH',
    path: `${path}?fieldManager=${manager}&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: path.split('/').at(-1) },
      data: fields,
    }),
  };
}

async function makeManagers(server: MeasuredServer): Promise<void> {
  for (let index = 0; index < 120; index++) {
    const request = appliedBy(`manager-${index}`, { path: `${MAPS}/managed`, fields: fieldsOf(index, 'v') });
    const { code, answer } = await server.measure({ name: '', ...request });
    if (code >= 300) throw new Error(`Cannot prepare: ${answer.toString('utf8', 0, 300)}`);
  }
}

async function post(server: MeasuredServer, path: string, object: unknown): Promise<void> {
  const { code, answer } = await server.measure({ name: '', method: 'POST', path, body: JSON.stringify(object) });
  if (code !== 201) throw new Error(`Cannot prepare: ${answer.toString('utf8', 0, 300)}`);
}
