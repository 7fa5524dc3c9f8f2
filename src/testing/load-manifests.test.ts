import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCluster, type StartClusterOptions } from './index.ts';

const bare: StartClusterOptions = { scheduler: false, nodes: 0 };
let folder = '';

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'keelson-manifests-'))));
afterEach(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<void> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
}

const definition = (plural: string, kind: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.acme.dev }
spec:
  group: acme.dev
  scope: Namespaced
  names: { plural: ${plural}, kind: ${kind} }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }
`;

test('a folder is loaded whatever the order of its files', async () => {
  await write(
    'a/1-pod.yml',
    `# first in order, last in time
---
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: team }
spec: { serviceAccountName: robot, containers: [{ name: web, image: nginx }] }
---

--- # nothing in between
apiVersion: acme.dev/v1
kind: Widget
metadata: { name: w }
spec:
  isOn: yes
  text: |
    --- not a document
`,
  );
  await write(
    'b.json',
    JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      items: [
        { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'team' } },
        { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'robot', namespace: 'team' } },
      ],
    }),
  );
  await write('z.yaml', definition('widgets', 'Widget'));
  await write('readme.md', 'not: [yaml');
  await using cluster = await startCluster(bare);
  const loaded = await cluster.load(folder);
  expect(loaded.map(({ kind, metadata }) => `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`)).toEqual([
    'Pod team/web',
    'Widget default/w',
    'Namespace /team',
    'ServiceAccount team/robot',
    'CustomResourceDefinition /widgets.acme.dev',
  ]);
  const widgets = await cluster.client.dynamic('acme.dev/v1', 'Widget');
  expect(await widgets.namespace('default').get('w')).toMatchObject({
    spec: { isOn: true, text: '--- not a document\n' },
  });
  expect(await cluster.load(folder)).toHaveLength(5);
});

test.each([
  [
    'no YAML',
    '---\n# first\n---\na: [1\n',
    /^Cannot load "DIR\/x.yaml": yaml: line 4: did not find expected ',' or '\]'$/,
  ],
  ['no object', '- a\n', /^Cannot load "DIR\/x.yaml": it is not an object$/],
  ['no kind', 'apiVersion: v1\n', /^Cannot load "DIR\/x.yaml": kind not set$/],
  [
    'a kind that is not served',
    'apiVersion: acme.dev/v1\nkind: Gadget\nmetadata: { name: g }\n',
    /^Cannot load "DIR\/x.yaml" \(Gadget "g"\): no matches for kind "Gadget" in version "acme.dev\/v1"$/,
  ],
  [
    'a generateName',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: g }\n',
    /^Cannot load "DIR\/x.yaml" \(ConfigMap ""\): it has a generateName, not a name$/,
  ],
  [
    'an object that the server rejects',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: fine }\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: NotFine }\n---\napiVersion: v1\nkind: Secret\nmetadata: { name: s, namespace: none }\n',
    /^Cannot load \n  document 2 of "DIR\/x.yaml" \(ConfigMap "NotFine"\): ConfigMap "NotFine" is invalid: .*\n  document 3 of "DIR\/x.yaml" \(Secret "s"\): namespaces "none" not found$/,
  ],
  [
    'names that are taken',
    `${definition('widgets', 'Widget')}---${definition('others', 'Widget')}`,
    /^Cannot load document 2 of "DIR\/x.yaml": its kind is not served: "WidgetList" is already in use/,
  ],
])('%s is an error that names file and document', async (_name, text, message) => {
  await write('x.yaml', text);
  await using cluster = await startCluster(bare);
  const error: unknown = await cluster.load(folder).catch((failure: unknown) => failure);
  expect((error as Error).message.replaceAll(folder, 'DIR')).toMatch(message);
});

test('a missing path and endless folders are errors', async () => {
  await using cluster = await startCluster(bare);
  await expect(cluster.load(join(folder, 'none'))).rejects.toThrow(/^Cannot load ".*none": ENOENT/);
  await symlink(folder, join(folder, 'again'));
  await expect(cluster.load(folder)).rejects.toThrow(/folders deep|ELOOP/);
});
