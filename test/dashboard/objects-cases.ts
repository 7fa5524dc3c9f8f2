import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from './support/browser.ts';
import type { Shared } from './support/shared.ts';
import { createConfigMap, createDeployment, createNamespace, runningPods } from './support/objects.ts';

/** An object's page: family, YAML, editing, logs, terminal. */
export function describeObjects(shared: Shared): void {
  describe("an object's page", () => {
    let pods: string[] = [];
    beforeAll(async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'objects');
      await createDeployment(up, 'objects', { name: 'shop', replicas: 2 });
      pods = await runningPods(up, 'objects', { app: 'shop', count: 2 });
    });

    test('shows owners and owned with their states, custom kinds included', async () => {
      const { up } = shared.cluster;
      const deployment = await up.json<{ metadata: { uid: string } }>(
        '/cluster/apis/apps/v1/namespaces/objects/deployments/shop',
      );
      await up.json('/cluster/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        method: 'POST',
        body: gadgets,
      });
      const gadget = {
        apiVersion: 'acme.dev/v1',
        kind: 'Gadget',
        metadata: {
          name: 'its-gadget',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: deployment.metadata.uid }],
        },
      };
      await expect
        .poll(
          async () =>
            (await up.request('/cluster/apis/acme.dev/v1/namespaces/objects/gadgets', { method: 'POST', body: gadget }))
              .status,
        )
        .toBe(201);
      await using visit = await shared.open(`object/pods/objects/${pods[0]}`);
      const tree = visit.page.getByRole('tree');
      await tree.getByRole('link', { name: 'shop', exact: true }).waitFor();
      await tree.getByRole('link', { name: 'its-gadget' }).waitFor();
      for (const pod of pods) await tree.getByRole('link', { name: pod }).waitFor();
      await tree.getByText('Status Running').first().waitFor();
      expect(await tree.getByRole('treeitem', { selected: true }).locator('a').first().innerText()).toBe(pods[0]);
      await visit.page.getByRole('cell', { name: 'ContainersReady' }).waitFor();
      await visit.page.getByRole('cell', { name: /^Successfully assigned/ }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('shows who set each field, and what the field means', async () => {
      await using visit = await shared.open('object/deployments.apps/objects/shop?tab=yaml');
      const { page } = visit;
      const row = page.locator('.yaml-row').filter({ hasText: 'replicas: 2' }).first();
      await row.waitFor();
      expect(await row.locator('.margin').innerText()).toBe('tester');
      const revision = page.locator('.yaml-row').filter({ hasText: 'deployment.kubernetes.io/revision' }).first();
      expect(await revision.locator('.margin').innerText()).toBe('kube-controller-manager');
      await row.hover();
      const meaning = page.getByRole('complementary', { name: 'What the field means' });
      await meaning.getByText('spec.replicas').waitFor();
      await meaning.getByText('integer (int32)').waitFor();
      await meaning.getByText(/tester: Update at/).waitFor();
      await page.getByRole('list', { name: 'YAML' }).focus();
      await page.keyboard.press('ArrowDown');
      await meaning.getByText('spec.selector').waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('a change is shown as a difference by a dry run before it is written', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'objects', { name: 'settings', data: { colour: 'red', size: 'small' } });
      await using visit = await shared.open('object/configmaps/objects/settings?tab=edit');
      const { page } = visit;
      await replaceInEditor(visit.page, 'colour: red', 'colour: green');
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.locator('.difference .removed').filter({ hasText: 'colour: red' }).waitFor();
      await page.locator('.difference .added').filter({ hasText: 'colour: green' }).waitFor();
      expect(await page.locator('.difference .added, .difference .removed').count()).toBe(2);
      expect(await colourOf()).toBe('red');
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByText('Changed ConfigMap "settings"').waitFor();
      expect(await colourOf()).toBe('green');
      expect(visit.problems).toEqual([]);

      async function colourOf(): Promise<string | undefined> {
        const { data } = await up.json<{ data: Record<string, string> }>(
          '/cluster/api/v1/namespaces/objects/configmaps/settings',
        );
        return data['colour'];
      }
    });

    test('a change that others have overtaken is refused, and nothing is lost', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'objects', { name: 'contested', data: { colour: 'red' } });
      await using visit = await shared.open('object/configmaps/objects/contested?tab=edit');
      const { page } = visit;
      await replaceInEditor(page, 'colour: red', 'colour: green');
      await up.json('/cluster/api/v1/namespaces/objects/configmaps/contested', {
        method: 'PATCH',
        type: 'application/merge-patch+json',
        body: { data: { other: 'x' } },
      });
      await page.getByText('The object has changed since you began').waitFor();
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByRole('heading', { name: 'Conflict' }).waitFor();
    });

    test('applying names the managers whose fields it would take, and takes them when asked to', async () => {
      const { up } = shared.cluster;
      await createDeployment(up, 'objects', { name: 'applied', replicas: 1 });
      await using visit = await shared.open('object/deployments.apps/objects/applied?tab=edit');
      const { page } = visit;
      await page.getByLabel(/^apply/).check();
      await replaceInEditor(page, 'replicas: 1', 'replicas: 3');
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByRole('heading', { name: 'tester has set' }).waitFor();
      await page.getByText('.spec.replicas', { exact: true }).waitFor();
      await page.getByRole('button', { name: /taking these fields over/ }).click();
      await page.locator('.difference .added').filter({ hasText: 'replicas: 3' }).waitFor();
      expect(await page.locator('.view-footer code').first().innerText()).toContain('--force-conflicts');
      await page.getByRole('button', { name: 'Apply', exact: true }).click();
      await page.getByText('Changed Deployment "applied"').waitFor();
      await runningPods(up, 'objects', { app: 'applied', count: 3 });
      await using after = await shared.open('object/deployments.apps/objects/applied?tab=yaml');
      const row = after.page.locator('.yaml-row').filter({ hasText: 'replicas: 3' }).first();
      expect(await row.locator('.margin').innerText()).toContain('keelson-dashboard');
    });

    test('the editor completes fields from what the server says of them', async () => {
      await using visit = await shared.open('object/deployments.apps/objects/shop?tab=edit');
      const { page } = visit;
      await page
        .locator('.cm-line')
        .filter({ hasText: /^spec:/ })
        .click();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.type('min');
      await page.locator('.cm-tooltip-autocomplete').getByText('minReadySeconds').click();
      await page.locator('.cm-line').filter({ hasText: 'minReadySeconds:' }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('a text that is no YAML is refused before it is sent', async () => {
      await using visit = await shared.open('object/configmaps/objects/settings?tab=edit');
      const { page } = visit;
      await page.locator('.cm-line').first().click();
      await page.keyboard.type('{{{');
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByRole('heading', { name: 'It would be refused' }).waitFor();
    });

    test('a new object is made from a template', async () => {
      await using visit = await shared.open('new/configmaps');
      const { page } = visit;
      await replaceInEditor(page, 'name: example', 'name: made-here');
      await replaceInEditor(page, 'spec: {}', 'data: {}');
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.locator('.difference .added').filter({ hasText: 'name: made-here' }).waitFor();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'made-here' }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('what was applied last is shown beside what is there', async () => {
      const { up } = shared.cluster;
      const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'last' }, data: { colour: 'red' } };
      await createConfigMap(up, 'objects', {
        name: 'last',
        data: { colour: 'blue' },
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(applied) },
      });
      await using visit = await shared.open('object/configmaps/objects/last?tab=applied');
      await visit.page.locator('.difference .removed').filter({ hasText: 'colour: red' }).waitFor();
      await visit.page.locator('.difference .added').filter({ hasText: 'colour: blue' }).waitFor();
    });

    test('logs are followed and searched', async () => {
      await using visit = await shared.open(`object/pods/objects/${pods[0]}?tab=logs`);
      const { page } = visit;
      await page.locator('.log-row').filter({ hasText: 'container web started' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('nothing like this');
      await expect.poll(() => page.locator('.log-row').count()).toBe(0);
      await page.getByLabel('Show only lines with this text').fill('web started');
      await page.locator('.log-row mark').waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('a terminal runs a shell in a container, with styles that the security policy allows', async () => {
      await using visit = await shared.open(`object/pods/objects/${pods[0]}?tab=terminal`);
      const { page } = visit;
      await page.locator('.xterm').waitFor();
      await page.locator('.xterm-rows').getByText('#').first().waitFor();
      await page.keyboard.type('echo from the $((40 + 2)) inside');
      await page.keyboard.press('Enter');
      await page
        .locator('.xterm-rows')
        .getByText(/^from the/)
        .waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('files of a container are walked through and read', async () => {
      await using visit = await shared.open(`object/pods/objects/${pods[0]}?tab=files`);
      const { page } = visit;
      await page.getByRole('button', { name: 'etc/' }).click();
      await page.getByRole('button', { name: 'hosts', exact: true }).click();
      await page.locator('.file-contents').getByText('Kubernetes-managed hosts file').waitFor();
      expect(await page.locator('.view-footer code').innerText()).toBe(
        `kubectl exec ${pods[0]} -n objects -c web -- cat /etc/hosts`,
      );
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save' }).click();
      expect((await download).suggestedFilename()).toBe('hosts');
      await page.getByLabel('Folder').fill('/nowhere');
      await page.getByLabel('Folder').press('Enter');
      await page.getByText(/No such file or directory/).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('a port of a pod is forwarded to this machine, and closed again', async () => {
      await using visit = await shared.open(`object/pods/objects/${pods[0]}`);
      const { page } = visit;
      await page.getByRole('button', { name: 'Forward port 80' }).click();
      const address = page.locator('.forwarded a');
      await address.waitFor();
      expect((await fetch((await address.getAttribute('href')) ?? '')).status).toBe(200);
      await visit.go('overview');
      await page.getByRole('heading', { name: 'Forwarded ports' }).waitFor();
      await page.getByRole('button', { name: /^Close the port/ }).click();
      await page.getByRole('heading', { name: 'Forwarded ports' }).waitFor({ state: 'detached' });
      expect(await shared.cluster.up.json('/keelson/forwards')).toEqual({ items: [] });
      expect(visit.problems).toEqual([]);
    });

    test('what a pod uses is shown', async () => {
      await using visit = await shared.open(`object/pods/objects/${pods[0]}`);
      const usage = visit.page.locator('.card').filter({ hasText: /^Usage/ });
      await usage
        .getByText(/^\d+m$/)
        .first()
        .waitFor();
      await usage
        .getByText(/^\d+ MiB$/)
        .first()
        .waitFor();
    });

    test('values of Secrets are hidden until they are asked for', async () => {
      const { up } = shared.cluster;
      await up.json('/cluster/api/v1/namespaces/objects/secrets', {
        method: 'POST',
        body: { metadata: { name: 'hidden' }, stringData: { password: 'swordfish' } },
      });
      const value = Buffer.from('swordfish').toString('base64');
      await using visit = await shared.open('object/secrets/objects/hidden?tab=yaml');
      const { page } = visit;
      await page.locator('.yaml-row').filter({ hasText: 'password: ""' }).waitFor();
      await page.getByRole('tab', { name: 'Edit' }).click();
      await page.getByText('The values of this Secret are hidden').waitFor();
      await page.getByRole('tab', { name: 'YAML' }).click();
      await page.getByRole('button', { name: 'Show values' }).click();
      await page.locator('.yaml-row').filter({ hasText: value }).waitFor();
      await page.getByRole('button', { name: 'Hide values' }).click();
      await page.locator('.yaml-row').filter({ hasText: 'password: ""' }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('an object is deleted after a question, and the page says that it is gone', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'objects', { name: 'doomed' });
      await using visit = await shared.open('object/configmaps/objects/doomed');
      const { page } = visit;
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('It was deleted while you looked.').waitFor();
      expect(visit.problems).toEqual([]);
    });
  });
}

/** Selects a text of the editor by its search and types another one in its place. */
async function replaceInEditor(page: Page, text: string, other: string): Promise<void> {
  const line = page.locator('.cm-line').filter({ hasText: text }).first();
  await line.click();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.type(other);
  await page.locator('.cm-line').filter({ hasText: other }).first().waitFor();
}

const gadgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.acme.dev' },
  spec: {
    group: 'acme.dev',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
