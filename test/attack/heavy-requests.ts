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
  {
    name: 'deletecollection of 2,000',
    request: () => ({ method: 'DELETE', path: `${MAPS}?labelSelector=number` }),
  },
];

function definition(name: string, count: number): Json {
  const properties = Object.fromEntries(
    keys.slice(0, count).map((key) => [key, { type: 'string', description: 'A place.', maxLength: 10 }]),
  );
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
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
        },
      ],
    },
  };
}

async function post(server: MeasuredServer, path: string, object: unknown): Promise<void> {
  const { code, answer } = await server.measure({ name: '', method: 'POST', path, body: JSON.stringify(object) });
  if (code !== 201) throw new Error(`Cannot prepare: ${answer.toString('utf8', 0, 300)}`);
}
