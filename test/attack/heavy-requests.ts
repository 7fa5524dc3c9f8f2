import type { HostileRequest, MeasuredServer } from '../hostile/measured-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const YAML = { 'content-type': 'application/yaml' };
const keys = Array.from({ length: 60_000 }, (_unused, index) => `key${index}`);
const data = Object.fromEntries(keys.map((key) => [key, 'v']));
const yamlData = `data:\n${keys.map((key) => `  ${key}: "v"\n`).join('')}`;

type Heavy = readonly [name: string, send: (round: number) => Promise<string>];

/** What the requests need to be there. */
export async function prepare(server: MeasuredServer): Promise<void> {
  await post(server, MAPS, { metadata: { name: 'large' }, data });
  for (let index = 0; index < 2_000; index++)
    await post(server, MAPS, {
      metadata: { name: `small-${index}`, labels: { number: String(index) } },
      data: { a: 'b' },
    });
}

/** One for every kind of work, as large as it may be. */
export function heavyRequests(server: MeasuredServer): readonly Heavy[] {
  const send = async (request: Omit<HostileRequest, 'name'>): Promise<string> => {
    const { code, answer, answerBytes } = await server.measure({ name: '', ...request });
    const said = code < 300 ? '' : ` ${answer.toString('utf8', 0, 200).replaceAll('\n', ' ')}`;
    return `${code}, ${answerBytes} bytes${said}`;
  };
  const create = (path: string, make: (round: number) => unknown): ((round: number) => Promise<string>) => {
    return (round) => send({ method: 'POST', path, body: JSON.stringify(make(round)) });
  };
  const crd = (count: number, round: number): unknown => definition(`wide${count}r${round}`, count);
  return [
    ['JSON: 60,000 keys', create(MAPS, () => ({ metadata: { generateName: 'a-' }, data }))],
    [
      'JSON: one text of 1 MB',
      create(MAPS, () => ({ metadata: { generateName: 'a-' }, data: { a: 'x'.repeat(1_000_000) } })),
    ],
    [
      'JSON: 60,000 numbers with fractions',
      create('/apis/apps/v1/namespaces/default/controllerrevisions', () => ({
        metadata: { generateName: 'a-' },
        revision: 1,
        data: { a: keys.map((_key, index) => index + 0.5) },
      })),
    ],
    ['JSON: 60,000 unknown members', create(MAPS, () => ({ metadata: { generateName: 'a-' }, ...data }))],
    [
      'JSON: 30,000 labels',
      create(MAPS, () => ({
        metadata: { generateName: 'a-', labels: Object.fromEntries(keys.slice(0, 30_000).map((key) => [key, 'v'])) },
      })),
    ],
    [
      'JSON: 10,000 containers',
      create('/api/v1/namespaces/default/pods', () => ({
        metadata: { generateName: 'a-' },
        spec: { containers: keys.slice(0, 10_000).map((name) => ({ name, image: 'i' })) },
      })),
    ],
    [
      'JSON: 900,000 finalizers',
      create(MAPS, () => ({ metadata: { generateName: 'a-', finalizers: Array.from({ length: 900_000 }, () => '') } })),
    ],
    [
      'JSON: a Secret of 30,000 keys',
      create('/api/v1/namespaces/default/secrets', () => ({
        metadata: { generateName: 'a-' },
        data: Object.fromEntries(keys.slice(0, 30_000).map((key) => [key, 'djE='])),
      })),
    ],
    [
      'YAML: 60,000 keys',
      () => send({ method: 'POST', path: MAPS, headers: YAML, body: `metadata: {generateName: a-}\n${yamlData}` }),
    ],
    [
      'YAML: 100,000 lines of a text',
      () =>
        send({
          method: 'POST',
          path: MAPS,
          headers: YAML,
          body: `metadata: {generateName: a-}\ndata:\n  a: |\n${'    line\n'.repeat(100_000)}`,
        }),
    ],
    [
      'YAML: 100,000 items',
      () =>
        send({
          method: 'POST',
          path: MAPS,
          headers: YAML,
          body: `metadata:\n  generateName: a-\n  finalizers:\n${'  - a\n'.repeat(100_000)}`,
        }),
    ],
    [
      'PUT: 60,000 keys changed',
      (round) =>
        send({
          method: 'PUT',
          path: `${MAPS}/large`,
          body: JSON.stringify({ metadata: { name: 'large' }, data: { ...data, round: String(round) } }),
        }),
    ],
    [
      'merge patch: a key among 60,000',
      (round) =>
        send({
          method: 'PATCH',
          path: `${MAPS}/large`,
          headers: MERGE,
          body: JSON.stringify({ data: { patched: String(round) } }),
        }),
    ],
    [
      'merge patch: 60,000 keys',
      (round) =>
        send({
          method: 'PATCH',
          path: `${MAPS}/large`,
          headers: MERGE,
          body: JSON.stringify({ data: Object.fromEntries(keys.map((key) => [key, `v${round}`])) }),
        }),
    ],
    [
      'strategic patch: 60,000 keys',
      (round) =>
        send({
          method: 'PATCH',
          path: `${MAPS}/large`,
          headers: { 'content-type': 'application/strategic-merge-patch+json' },
          body: JSON.stringify({ data: Object.fromEntries(keys.map((key) => [key, `s${round}`])) }),
        }),
    ],
    [
      'JSON patch: 9,000 operations',
      () =>
        send({
          method: 'PATCH',
          path: `${MAPS}/large`,
          headers: { 'content-type': 'application/json-patch+json' },
          body: JSON.stringify(
            keys.slice(0, 9_000).map((key) => ({ op: 'replace', path: `/data/${key}`, value: 'j' })),
          ),
        }),
    ],
    [
      'apply: 60,000 keys',
      (round) =>
        send({
          method: 'PATCH',
          path: `${MAPS}/applied${round}?fieldManager=m&force=true`,
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied${round}}\n${yamlData}`,
        }),
    ],
    [
      'apply again: 60,000 keys',
      () =>
        send({
          method: 'PATCH',
          path: `${MAPS}/applied0?fieldManager=m&force=true`,
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied0}\n${yamlData}`,
        }),
    ],
    ['GET: 60,000 keys', () => send({ method: 'GET', path: `${MAPS}/large` })],
    [
      'GET: 60,000 keys as YAML',
      () => send({ method: 'GET', path: `${MAPS}/large`, headers: { accept: 'application/yaml' } }),
    ],
    ['GET: 60,000 keys, pretty', () => send({ method: 'GET', path: `${MAPS}/large?pretty=true` })],
    [
      'GET: 60,000 keys as protobuf',
      () => send({ method: 'GET', path: `${MAPS}/large`, headers: { accept: 'application/vnd.kubernetes.protobuf' } }),
    ],
    ['list: 2,000 small', () => send({ method: 'GET', path: MAPS })],
    [
      'list: table of 2,000',
      () => send({ method: 'GET', path: MAPS, headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
    ],
    ['list: YAML of 2,000', () => send({ method: 'GET', path: MAPS, headers: { accept: 'application/yaml' } })],
    [
      'list: selector of 5,000 terms',
      () =>
        send({
          method: 'GET',
          path: `${MAPS}?labelSelector=${keys
            .slice(0, 5_000)
            .map((key) => `!${key}`)
            .join(',')}`,
        }),
    ],
    [
      'definition: 2,000 properties',
      create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', (round) => crd(2_000, round)),
    ],
    [
      'definition: 20,000 properties',
      create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', (round) => crd(20_000, round)),
    ],
    [
      'openapi v2 after a definition',
      async (round) => {
        await post(server, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(`open${round}`, 10));
        return send({ method: 'GET', path: '/openapi/v2', headers: { accept: 'application/json' } });
      },
    ],
    ['deletecollection of 2,000', () => send({ method: 'DELETE', path: `${MAPS}?labelSelector=number` })],
  ];
}

function definition(name: string, count: number): unknown {
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
