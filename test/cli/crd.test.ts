import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from 'keelson/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { OtherWidget } from './testdata/kinds.ts';

const data = join(import.meta.dirname, 'testdata');
const widgets = join(data, 'widgets.yaml');
const cache = join(data, 'cache.mjs');

async function keelson(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runProgram(args, {
    env: {},
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    once: () => undefined,
  });
  return { code, out, err };
}

describe('keelson types', () => {
  test('makes types of definitions that others have published', async () => {
    const { code, out } = await keelson('types', widgets);

    expect(code).toBe(0);
    expect(out).toBe(await readFile(join(data, 'kinds.ts'), 'utf8')); // which the compiler reads with the rest of the tests
  });

  test('makes them of all definitions of a cluster, and they work there', async () => {
    await using cluster = await startCluster({ controllers: false, nodes: 0, scheduler: false });
    const definition = { metadata: { name: 'widgets.other.dev' }, spec: otherWidgets };
    await cluster.client.apiextensions.v1.customresourcedefinitions.create(definition);
    await cluster.settle(); // until it is established
    const { out } = await keelson('types', 'cluster', '--kubeconfig', await cluster.kubeconfig());

    expect(out).toContain(
      "export const Widget = clusterKind<Widget>({ apiVersion: 'other.dev/v1', kind: 'Widget', plural: 'widgets' });",
    );
    const made = await cluster.client.kind(OtherWidget).create({ metadata: { name: 'a' } });
    expect(made.kind).toBe('Widget');
  });

  test('reports what it cannot use', async () => {
    expect(await keelson('types')).toMatchObject({ code: 2, err: expect.stringContaining('a file, or "cluster"') });
    expect(await keelson('types', join(data, 'missing.yaml'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('Cannot read'),
    });
    expect(await keelson('types', join(data, '..', '..', '..', 'package.json'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('Cannot find a definition in'),
    });
  });
});

const otherWidgets = {
  group: 'other.dev',
  names: { kind: 'Widget', plural: 'widgets' },
  scope: 'Cluster',
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
};

describe('keelson crd', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-crd-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('prints the kinds that a module exports, and reads what it has printed', async () => {
    const { code, out } = await keelson('crd', 'print', cache);
    expect(code).toBe(0);
    expect(out).toMatch(/^apiVersion: apiextensions\.k8s\.io\/v1\nkind: CustomResourceDefinition\n/);
    const file = join(folder, 'cache.yaml');
    await writeFile(file, out);

    expect(await keelson('crd', 'diff', cache, '--against', file)).toEqual({
      code: 0,
      out: 'caches.cache.example.dev: the same\n',
      err: '',
    });
    const { out: json } = await keelson('crd', 'print', file, '--output', 'json');
    expect(JSON.parse(json)).toMatchObject({ spec: { names: { kind: 'Cache' } } });
    expect((await keelson('crd', 'print', cache, '--output', 'xml')).code).toBe(2);
  });

  test('says which changes break stored objects', async () => {
    const { out } = await keelson('crd', 'print', cache);
    const file = join(folder, 'wider.yaml');
    await writeFile(file, out.replace('maximum: 9', 'maximum: 12').replace('minimum: 1', 'minimum: 2'));

    expect(await keelson('crd', 'diff', cache, '--against', file)).toEqual({
      code: 1,
      out: 'caches.cache.example.dev\n  breaks  v1.spec.size maximum was 12, is 9\n',
      err: 'keelson crd: 1 change breaks stored objects or clients\n',
    });
  });

  test('compares with a cluster', async () => {
    await using cluster = await startCluster({ controllers: false, nodes: 0, scheduler: false });
    const flags = ['--kubeconfig', await cluster.kubeconfig()];
    expect((await keelson('crd', 'diff', cache, ...flags)).out).toBe('caches.cache.example.dev: new\n');
    const { out } = await keelson('crd', 'print', cache, '--output', 'json');
    await cluster.client.apiextensions.v1.customresourcedefinitions.create(JSON.parse(out));

    expect((await keelson('crd', 'diff', cache, ...flags)).out).toBe('caches.cache.example.dev: the same\n');
  });

  test('checks definitions as a server does', async () => {
    expect(await keelson('crd', 'check', cache)).toEqual({ code: 0, out: '', err: '' });
    const file = join(folder, 'bad.yaml');
    const { out } = await keelson('crd', 'print', cache);
    await writeFile(file, out.replace('storage: true', 'storage: false'));

    expect(await keelson('crd', 'check', file)).toMatchObject({
      code: 1,
      out: expect.stringContaining('caches.cache.example.dev: spec.versions: Invalid value: '),
      err: expect.stringContaining('found'),
    });
    expect((await keelson('crd', 'mend', cache)).code).toBe(2);
  });
});
