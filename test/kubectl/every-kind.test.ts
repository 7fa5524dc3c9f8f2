import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTool } from '../../src/base/testing/find-tool.ts';
import { requires } from '../../src/base/testing/requires.ts';
import type { KubernetesObject } from '../../src/client/index.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';
import type { TestCluster } from '../support/test-cluster.ts';
import { manifests } from './manifests.ts';

/** kubectl before 1.34 describes these by their beta versions, which 1.36 does not serve by default. */
const DESCRIBED_AS_BETA = new Set(['IPAddress', 'ServiceCIDR', 'VolumeAttributesClass']);

function formArgs(form: string): readonly string[] {
  if (form === 'jsonpath') return ['-o', 'jsonpath={.items[*].metadata.name}'];
  if (form === 'custom-columns') return ['-o', 'custom-columns=N:.metadata.name'];
  return form === '' ? [] : ['-o', form];
}

/** A certificate request made by openssl, where there is one. */
function certificateRequest(): string | undefined {
  const args = [
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    '/dev/null',
    '-subj',
    '/CN=demo',
  ];
  const command = findTool('openssl');
  return command === undefined ? undefined : spawnSync(command, args, { encoding: 'utf8' }).stdout;
}

describe('kubectl on every kind', requires('kubectl'), () => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startTestCluster();
    kubectl = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const all = manifests(certificateRequest());

  test('create takes one object of every kind', async () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all });
    const { code, stdout, stderr } = await kubectl.run(['create', '-f', '-'], list);
    expect(stderr.replaceAll(/^Warning: .*\n/gm, '')).toBe('');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(all.length);
  });

  test('a request for a certificate is among them', requires('openssl'), () => {
    expect(all.map(({ kind }) => kind)).toContain('CertificateSigningRequest');
  });

  test('api-resources lists as many resources as upstream does by default', async () => {
    const lines = (await kubectl.output('api-resources', '--no-headers')).trim().split('\n');
    expect(lines.filter((line) => !line.includes('test.com'))).toHaveLength(67);
  });

  /** Each command runs once, for the objects of all kinds: kubectl takes most of its time to start. */
  const asked = all.map(({ apiVersion, kind, metadata: { name } }) => {
    const group = apiVersion.includes('/') ? `.${apiVersion.split('/').reverse().join('.')}` : '';
    return { apiVersion, kind, name, reference: `${kind}${group}/${name}` };
  });
  const references = asked.map(({ reference }) => reference);
  const itemsOf = (list: string): readonly KubernetesObject[] =>
    (JSON.parse(list) as { readonly items: readonly KubernetesObject[] }).items;

  describe('get', () => {
    const shown = new Map<string, string>();
    let names: readonly string[] = [];
    beforeAll(async () => {
      for (const form of ['', 'wide', 'yaml', 'json', 'name', 'jsonpath', 'custom-columns'])
        shown.set(form, await kubectl.output('get', ...references, ...formArgs(form)));
      names = (shown.get('name') ?? '').trim().split('\n');
    });

    test.each(asked.map(({ kind, name }, at) => [kind, name, at] as const))(
      'shows %s as a row, wide, YAML, JSON, a name and columns of one’s own',
      (kind, name, at) => {
        expect(names[at]).toContain(`/${name}`);
        for (const form of ['', 'wide']) {
          const tables = (shown.get(form) ?? '').split('\n\n');
          const table = tables.find((text) =>
            kind === 'Event' ? text.startsWith('LAST SEEN ') : text.includes(`${names[at]} `),
          );
          expect(table, form).toMatch(/^NAME |^LAST SEEN /);
        }
        expect(shown.get('yaml')).toMatch(new RegExp(`^  kind: ${kind}$`, 'm'));
        expect(shown.get('yaml')).toMatch(new RegExp(`^    name: ${name}$`, 'm'));
        expect(itemsOf(shown.get('json') ?? '')[at]).toMatchObject({ kind, metadata: { name } });
        expect((shown.get('jsonpath') ?? '').split(' ')[at]).toBe(name);
        expect((shown.get('custom-columns') ?? '').split('\n')[at + 1]?.trim()).toBe(name);
      },
    );
  });

  describe('label, annotate, patch and replace', () => {
    let changed: readonly KubernetesObject[] = [];
    beforeAll(async () => {
      await kubectl.output('label', ...references, 'tested=yes');
      await kubectl.output('annotate', ...references, 'why=because');
      await kubectl.output('patch', ...references, '--type=merge', '-p', '{"metadata":{"labels":{"merged":"yes"}}}');
      const added = '[{"op":"add","path":"/metadata/labels/jsoned","value":"yes"}]';
      await kubectl.output('patch', ...references, '--type=json', '-p', added);
      const list = await kubectl.output('get', ...references, '-o', 'json');
      changed = itemsOf(list);
      const replaced = await kubectl.run(['replace', '-f', '-'], list);
      expect(replaced.stderr.replaceAll(/^Warning: .*\n/gm, '')).toBe('');
      expect(replaced.stdout.trim().split('\n')).toHaveLength(all.length);
    });

    test.each(asked.map(({ kind, name }, at) => [kind, name, at] as const))('change %s', (kind, name, at) => {
      const labels = { tested: 'yes', merged: 'yes', jsoned: 'yes' };
      expect(changed[at]).toMatchObject({ kind, metadata: { name, labels, annotations: { why: 'because' } } });
    });
  });

  describe('describe and explain', () => {
    let described = '';
    beforeAll(async () => {
      const known = asked.filter(({ kind }) => !DESCRIBED_AS_BETA.has(kind));
      described = await kubectl.output('describe', ...known.map(({ reference }) => reference));
    });

    test.each(asked.map((one) => [one.kind, one] as const))(
      'have something to say about %s',
      async (kind, { apiVersion, name, reference }) => {
        if (!DESCRIBED_AS_BETA.has(kind)) {
          expect(described).toMatch(new RegExp(`^Name: +${name}$`, 'm'));
        } else {
          const { code, stdout } = await kubectl.run(['describe', reference]);
          if (code === 0) expect(stdout).toContain(name);
          else
            console.warn(`describe ${kind} is skipped: this kubectl asks for a version that is not served by default`);
        }
        expect(await kubectl.output('explain', kind.toLowerCase(), '--api-version', apiVersion)).toContain(
          'DESCRIPTION',
        );
      },
    );
  });

  test('delete removes all of them again', async () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all });
    const { code, stderr } = await kubectl.run(['delete', '--wait=false', '-f', '-'], list);
    expect(stderr.replaceAll(/^Warning: .*\n/gm, '')).toBe('');
    expect(code).toBe(0);
    expect(cluster.problems).toEqual([]);
  });
});
