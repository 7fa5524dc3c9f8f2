import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { startTestCluster } from '../support/test-cluster.ts';
import type { TestCluster } from '../support/test-cluster.ts';

function deployment(changes: { readonly replicas?: number; readonly image?: string } = {}): string {
  const { replicas = 2, image = 'nginx:1.27' } = changes;
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { part: 'of-it' } },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
    },
  });
}

describe('kubectl apply and what belongs to it', requires('kubectl'), () => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await startTestCluster();
    kubectl = new Kubectl(findKubectl() ?? '', cluster.kubeconfig);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function apply(manifest: string, ...flags: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await kubectl.run(['apply', '-f', '-', ...flags], manifest);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return stdout;
  }

  test('apply creates, configures and leaves unchanged', async () => {
    expect(await apply(deployment())).toBe('deployment.apps/web created\n');
    expect(await apply(deployment())).toBe('deployment.apps/web unchanged\n');
    expect(await apply(deployment({ replicas: 3 }))).toBe('deployment.apps/web configured\n');
    expect(await kubectl.output('apply', 'view-last-applied', 'deployment/web', '-o', 'json')).toContain(
      '"replicas": 3',
    );
  });

  test('diff shows what apply would change, and dry run changes nothing', async () => {
    const { code, stdout } = await kubectl.run(['diff', '-f', '-'], deployment({ replicas: 4 }));
    expect(code).toBe(1);
    expect(stdout).toMatch(/-  replicas: 3\n\+  replicas: 4/);
    expect(await apply(deployment({ replicas: 4 }), '--dry-run=server')).toBe(
      'deployment.apps/web configured (server dry run)\n',
    );
    expect(await kubectl.output('get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('3');
  });

  test('set and strategic patches merge lists by their keys', async () => {
    await kubectl.output('set', 'image', 'deployment/web', 'main=nginx:1.28');
    await kubectl.output('set', 'env', 'deployment/web', 'A=1', 'B=2');
    const side = '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}';
    await kubectl.output('patch', 'deployment', 'web', '-p', side);
    const names = '{range .spec.template.spec.containers[*]}{.name}={.image} {end}';
    const containers = await kubectl.output('get', 'deployment', 'web', '-o', `jsonpath=${names}`);
    expect(containers.trim().split(' ').sort()).toEqual(['main=nginx:1.28', 'side=busybox']);
    const gone = '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}';
    await kubectl.output('patch', 'deployment', 'web', '-p', gone);
    expect(await kubectl.output('get', 'deployment', 'web', '-o', `jsonpath=${names}`)).toBe('main=nginx:1.28 ');
  });

  test('edit sends what the editor leaves', async () => {
    const editor = join(cluster.folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/replicas: 3/replicas: 7/" "$1"\n', { mode: 0o755 });
    const edited = await new Kubectl(findKubectl() ?? '', cluster.kubeconfig, { KUBE_EDITOR: editor }).run([
      'edit',
      'deployment',
      'web',
    ]);
    expect(edited.stdout).toContain('deployment.apps/web edited');
    expect(await kubectl.output('get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('7');
  });

  test('server-side apply names the managers it conflicts with, and takes over when forced', async () => {
    const refused = await kubectl.run(
      ['apply', '--server-side', '--field-manager=robot', '-f', '-'],
      deployment({ image: 'nginx:1.29' }),
    );
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(
      'Apply failed with 2 conflicts: conflicts with "kubectl-edit" using apps/v1:\n- .spec.replicas\n',
    );
    expect(refused.stderr).toContain(
      'conflicts with "kubectl-set" using apps/v1:\n- .spec.template.spec.containers[name="main"].image\n',
    );
    await kubectl.run(
      ['apply', '--server-side', '--force-conflicts', '--field-manager=robot', '-f', '-'],
      deployment({ image: 'nginx:1.29' }),
    );
    const managers = await kubectl.output(
      'get',
      'deployment',
      'web',
      '--show-managed-fields',
      '-o',
      'jsonpath={.metadata.managedFields[*].manager}',
    );
    expect(managers).toContain('robot');
    expect(
      await kubectl.output('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'),
    ).toBe('nginx:1.29');
  });

  test('apply --prune removes what is no longer in the set', async () => {
    const configMap = (name: string): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { set: 'one' } } });
    const list = (...items: readonly string[]): string =>
      `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`;
    await apply(list(configMap('kept'), configMap('dropped')));
    const flags = ['--prune', '-l', 'set=one', '--prune-allowlist=core/v1/ConfigMap'];
    const { stdout } = await kubectl.run(['apply', ...flags, '-f', '-'], list(configMap('kept')));
    expect(stdout).toContain('configmap/dropped pruned');
    expect(await kubectl.output('get', 'configmap', '-l', 'set=one', '-o', 'name')).toBe('configmap/kept\n');
  });
});
