import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findTool } from '../../src/base/testing/find-tool.ts';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';
import type { TestCluster } from '../support/test-cluster.ts';
import { manifests } from './manifests.ts';

/** kubectl before 1.34 describes these by their beta versions, which 1.36 does not serve by default. */
const DESCRIBED_AS_BETA = new Set(['IPAddress', 'ServiceCIDR', 'VolumeAttributesClass']);

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

  describe.each(all.map((manifest) => [manifest.kind, manifest] as const))(
    '%s',
    (kind, { apiVersion, metadata: { name } }) => {
      const group = apiVersion.includes('/') ? `.${apiVersion.split('/').reverse().join('.')}` : '';
      const type = `${kind}${group}`;

      test('get shows it as a row, wide, YAML, JSON, a name and columns of one’s own', async () => {
        const rows = await kubectl.output('get', type);
        expect(rows).toMatch(/^NAME|^LAST SEEN/);
        expect(await kubectl.output('get', type, name, '-o', 'wide')).toContain('\n');
        expect(await kubectl.output('get', type, name, '-o', 'yaml')).toContain(`name: ${name}`);
        expect(JSON.parse(await kubectl.output('get', type, name, '-o', 'json'))).toMatchObject({
          kind,
          metadata: { name },
        });
        expect(await kubectl.output('get', type, name, '-o', 'name')).toContain(`/${name}`);
        expect(await kubectl.output('get', type, name, '-o', 'jsonpath={.metadata.name}')).toBe(name);
        expect(await kubectl.output('get', type, name, '-o', 'custom-columns=N:.metadata.name')).toContain(name);
      });

      test('label, annotate, patch and replace change it', async () => {
        await kubectl.output('label', type, name, 'tested=yes');
        await kubectl.output('annotate', type, name, 'why=because');
        await kubectl.output('patch', type, name, '--type=merge', '-p', '{"metadata":{"labels":{"merged":"yes"}}}');
        await kubectl.output(
          'patch',
          type,
          name,
          '--type=json',
          '-p',
          '[{"op":"add","path":"/metadata/labels/jsoned","value":"yes"}]',
        );
        const changed = await kubectl.output('get', type, name, '-o', 'json');
        const replaced = await kubectl.run(['replace', '-f', '-'], changed);
        expect(replaced.stderr.replaceAll(/^Warning: .*\n/gm, '')).toBe('');
        const { metadata } = JSON.parse(changed) as { metadata: { labels: object; annotations: object } };
        expect(metadata.labels).toMatchObject({ tested: 'yes', merged: 'yes', jsoned: 'yes' });
        expect(metadata.annotations).toMatchObject({ why: 'because' });
      });

      test('describe and explain have something to say', async () => {
        const described = await kubectl.run(['describe', type, name]);
        if (DESCRIBED_AS_BETA.has(kind) && described.code !== 0) {
          console.warn(`describe ${kind} is skipped: this kubectl asks for a version that is not served by default`);
        } else {
          expect(described.stdout, described.stderr).toContain(name);
        }
        expect(await kubectl.output('explain', kind.toLowerCase(), '--api-version', apiVersion)).toContain(
          'DESCRIPTION',
        );
      });
    },
  );

  test('delete removes all of them again', async () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all });
    const { code, stderr } = await kubectl.run(['delete', '--wait=false', '-f', '-'], list);
    expect(stderr.replaceAll(/^Warning: .*\n/gm, '')).toBe('');
    expect(code).toBe(0);
    expect(cluster.problems).toEqual([]);
  });
});
