import { describe, expect, test } from 'vitest';
import type { Shared } from './support/shared.ts';
import { createConfigMap, createDeployment, createNamespace, runningPods } from './support/objects.ts';
import { Intermediary } from './support/intermediary.ts';

/** Keys, rights, and what happens when the server or a watch goes away. */
export function describeSafety(shared: Shared): void {
  describe('keys and rights', () => {
    test('the key is removed from the address, kept for the tab, and asked for in others', async () => {
      const { up } = shared.cluster;
      await using visit = await shared.open('list/nodes');
      const { page } = visit;
      await page.getByRole('grid').waitFor();
      expect(page.url()).not.toContain(up.key);
      await page.reload();
      await page.getByRole('grid').waitFor();
      expect(page.url()).not.toContain(up.key);
      await using other = await shared.browser.visit(`${up.origin}/#/list/nodes`);
      await other.page.getByLabel('Address or key').fill('wrong');
      await other.page.getByRole('button', { name: 'Open' }).click();
      await other.page.getByText('the key is missing or wrong').waitFor();
      await other.page.getByLabel('Address or key').fill(up.url);
      await other.page.getByRole('button', { name: 'Open' }).click();
      await other.page.getByRole('grid').waitFor();
    });

    test('the key is in no address that is asked for, in no log and in no history', async () => {
      await using program = await shared.cluster.dashboard([
        `--kubeconfig=${shared.cluster.kubeconfig}`,
        '--log-level=debug',
      ]);
      const { key } = program;
      await using visit = await shared.browser.visit('about:blank');
      const { page } = visit;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(`${request.url()} ${request.headers()['referer'] ?? ''}`));
      page.on('websocket', (socket) => asked.push(socket.url()));
      await page.goto(program.url);
      await page.getByRole('main').waitFor();
      await visit.go('list/pods');
      await page.getByRole('grid').waitFor();
      await visit.go('list/nodes');
      await page.locator('.cell.name a').first().waitFor();
      expect(asked.some((url) => url.startsWith('ws:'))).toBe(true);
      // the first address is what was typed, and its fragment is not sent
      expect(asked.filter((url) => url.includes(key) && !url.startsWith(program.url))).toEqual([]);
      await page.goBack();
      await page.goBack();
      expect(page.url()).not.toContain(key);
      const kept = await page.evaluate('JSON.stringify([document.cookie, Object.entries(localStorage)])');
      expect(kept).not.toContain(key);
      await program.request('/cluster/api/v1/nodes', { method: 'GET' });
      await fetch(`${program.origin}/cluster/api/v1/nodes`, { headers: { 'X-Keelson-Key': `${key}x` } });
      expect(program.printed.filter((line) => line.includes(key))).toHaveLength(1); // the address
      const { items } = await program.json<{ items: unknown[] }>('/keelson/requests');
      expect(JSON.stringify(items)).not.toContain(key);
    });

    test('a viewer who may see one namespace has a page that is whole without the rest', async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'rights');
      await createDeployment(up, 'rights', { name: 'mine', replicas: 1 });
      const [pod = ''] = await runningPods(up, 'rights', { app: 'mine', count: 1 });
      await up.json('/cluster/api/v1/namespaces/rights/serviceaccounts', {
        method: 'POST',
        body: { metadata: { name: 'viewer' } },
      });
      await up.json('/cluster/apis/rbac.authorization.k8s.io/v1/namespaces/rights/rolebindings', {
        method: 'POST',
        body: {
          metadata: { name: 'viewer' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
          subjects: [{ kind: 'ServiceAccount', name: 'viewer', namespace: 'rights' }],
        },
      });
      await using program = await shared.cluster.dashboard([
        `--kubeconfig=${await shared.cluster.kubeconfigOf('rights', 'viewer')}`,
      ]);
      await using visit = await shared.browser.visit(program.url);
      const { page } = visit;
      await page.getByRole('navigation').getByRole('link', { name: 'Pod', exact: true }).click();
      await page.getByText('Not for you to see (403 Forbidden)').first().waitFor();
      // namespaces cannot be listed either, so they are typed
      await page.getByRole('textbox', { name: 'namespace' }).fill('rights');
      await page.getByRole('textbox', { name: 'namespace' }).press('Enter');
      await page.getByRole('link', { name: pod }).click();
      await page.getByRole('tree').getByRole('link', { name: 'mine', exact: true }).waitFor();
      await page.getByText(/kinds are not for you to see/).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText(/Could not delete Pod .* cannot delete resource/).waitFor();
      await visit.go('list/secrets');
      await page.getByText('Not for you to see (403 Forbidden)').first().waitFor();
      expect(visit.problems.filter((problem) => !/\b40[34]\b/.test(problem))).toEqual([]);
    });

    test('a read-only dashboard offers nothing that writes', async () => {
      await using program = await shared.cluster.dashboard([
        `--kubeconfig=${shared.cluster.kubeconfig}`,
        '--read-only',
      ]);
      await using visit = await shared.browser.visit(program.url);
      const { page } = visit;
      await page.getByText('read-only').waitFor();
      await visit.go('list/configmaps');
      await page.getByRole('grid').waitFor();
      expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
      expect(await page.getByRole('link', { name: 'New' }).count()).toBe(0);
      await visit.go('object/namespaces/-/default');
      await page.getByRole('tab', { name: 'YAML' }).waitFor();
      expect(await page.getByRole('tab', { name: 'Edit' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
    });
  });

  describe('what goes wrong on the way', () => {
    test('a server that goes away is noticed, and what it has changed meanwhile is shown when it is back', async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'away');
      await createConfigMap(up, 'away', { name: 'before' });
      await using between = await Intermediary.start(up.origin);
      await using visit = await shared.browser.visit(`${between.origin}/#${up.key}`);
      const { page } = visit;
      await visit.go('list/configmaps?filter=away');
      await page.getByRole('link', { name: 'before' }).waitFor();
      between.cut();
      await page.getByRole('alert').getByText('The server does not answer').waitFor();
      await page.getByRole('link', { name: 'before' }).waitFor(); // what is known stays
      await createConfigMap(up, 'away', { name: 'meanwhile' });
      between.mend();
      await page.getByRole('link', { name: 'meanwhile' }).waitFor();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await createConfigMap(up, 'away', { name: 'afterwards' });
      await page.getByRole('link', { name: 'afterwards' }).waitFor();
    });

    test('a watch whose history is gone begins again with a list', async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'expired');
      await using between = await Intermediary.start(up.origin, { expiresWatches: 2 });
      await using visit = await shared.browser.visit(`${between.origin}/#${up.key}`);
      await visit.go('list/configmaps?filter=expired');
      await visit.page.getByRole('grid').waitFor();
      await expect.poll(() => between.expired).toBe(2);
      await createConfigMap(up, 'expired', { name: 'seen-anyway' });
      await visit.page.getByRole('link', { name: 'seen-anyway' }).waitFor();
    });

    test('without WebSockets the page uses a few streams, and asks now and then where it has none', async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'plain');
      await using between = await Intermediary.start(up.origin, { hasSockets: false });
      await using visit = await shared.browser.visit(`${between.origin}/#${up.key}`);
      const { page } = visit;
      await visit.go('list/configmaps?filter=plain');
      await page.getByRole('grid').waitFor();
      await createConfigMap(up, 'plain', { name: 'by-fetch' });
      await page.getByRole('link', { name: 'by-fetch' }).waitFor();
      await visit.go('object/configmaps/plain/by-fetch');
      await page.getByRole('tree').waitFor();
      expect(between.streams).toBeLessThanOrEqual(3);
    });

    test('the page works below the path of a service proxy', async () => {
      const { up } = shared.cluster;
      const prefix = '/api/v1/namespaces/tools/services/https:keelson-dashboard:/proxy';
      await using between = await Intermediary.start(up.origin, { prefix });
      await using visit = await shared.browser.visit(`${between.origin}${prefix}/#${up.key}`);
      await visit.go('list/nodes');
      await visit.page.locator('.cell.name a').first().click();
      await visit.page.getByRole('tab', { name: 'YAML' }).click();
      await visit.page.locator('.yaml-row').first().waitFor();
      expect(visit.problems).toEqual([]);
    });
  });
}
