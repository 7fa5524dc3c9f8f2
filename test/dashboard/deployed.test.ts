import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requires } from '../../src/base/testing/requires.ts';
import { findKubectl, Kubectl } from '../support/kubectl.ts';
import { TestBrowser } from './support/browser.ts';
import { DashboardCluster } from './support/dashboard-cluster.ts';
import { createConfigMap, createNamespace } from './support/objects.ts';

const SERVICE = '/api/v1/namespaces/keelson-dashboard/services/https:keelson-dashboard:/proxy';
const PROXY_PORT = /127\.0\.0\.1:(\d+)/;

/** Containers of the dashboard's image run the program that was built from these sources. */
function runImages(command: string): unknown {
  const args = ['dashboard', '--viewer-tokens', '--bind-address=$(KEELSON_POD_ADDRESS)', '--port=8443'];
  const images = [{ image: 'keelson:*', command: [process.execPath, command], args }];
  return { apiVersion: 'keelson.dev/v1', kind: 'RunImages', images };
}

describe('a dashboard in a cluster', requires('chromium-headless-shell', 'kubectl'), () => {
  let folder = '';
  let cluster: DashboardCluster;
  let browser: TestBrowser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-deployed-'));
    const images = join(folder, 'images.json');
    cluster = await DashboardCluster.start({
      flags: (program) => {
        writeFileSync(images, JSON.stringify(runImages(program)));
        return [`--run-images=${images}`];
      },
    });
    browser = await TestBrowser.launch();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  test('what keelson manifests prints runs it, and each viewer brings a token through the proxy of the API server', async () => {
    const { up, kubeconfig } = cluster;
    const kubectl = new Kubectl(findKubectl() ?? '', kubeconfig);
    const manifests = await cluster.print(['manifests', 'dashboard']);
    const applied = await kubectl.run(['apply', '-f', '-'], manifests);
    expect(applied.code, applied.stderr).toBe(0);
    await kubectl.output('-n', 'keelson-dashboard', 'rollout', 'status', 'deployment/keelson-dashboard');
    await createNamespace(up, 'team');
    await createConfigMap(up, 'team', { name: 'plans' });
    for (const args of [
      ['create', 'serviceaccount', 'ann', '-n', 'team'],
      ['create', 'rolebinding', 'ann', '-n', 'team', '--clusterrole=view', '--serviceaccount=team:ann'],
    ])
      await kubectl.output(...args);
    const token = (await kubectl.output('create', 'token', 'ann', '-n', 'team')).trim();

    const proxy = spawn(findKubectl() ?? '', ['--kubeconfig', kubeconfig, 'proxy', '--port=0'], { stdio: 'pipe' });
    try {
      let port = '';
      for await (const line of createInterface(proxy.stdout)) {
        port = PROXY_PORT.exec(line)?.[1] ?? '';
        if (port !== '') break;
      }
      const url = `http://127.0.0.1:${port}${SERVICE}/`;
      // its endpoint is known a moment after the pod is ready
      await expect.poll(async () => (await fetch(url)).status).toBe(200);
      await using visit = await browser.visit(`${url}#/list/configmaps`);
      const { page } = visit;
      await page.getByLabel('Token').fill('no-token-of-anybody');
      await page.getByRole('button', { name: 'Open' }).click();
      await page
        .getByText(/Unauthorized/)
        .first()
        .waitFor();
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('team/ann').waitFor();
      await page.getByRole('textbox', { name: 'namespace' }).fill('team');
      await page.getByRole('textbox', { name: 'namespace' }).press('Enter');
      await page.getByRole('link', { name: 'plans' }).click();
      await page.getByRole('tab', { name: 'YAML' }).click();
      await page.locator('.yaml-row').filter({ hasText: 'name: plans' }).waitFor();
      await visit.go('list/secrets');
      await page.getByText('Not for you to see (403 Forbidden)').first().waitFor();
      expect(page.url()).not.toContain(token);
    } finally {
      proxy.kill();
      await once(proxy, 'exit');
    }
  });
});
