import { beforeAll, describe, expect, test } from 'vitest';
import type { Shared } from './support/shared.ts';
import { createConfigMap, createDeployment, createNamespace, runningPods } from './support/objects.ts';

/** Lists, navigation, filters, search and selection. */
export function describeTables(shared: Shared): void {
  describe('lists', () => {
    beforeAll(async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'tables');
      await createDeployment(up, 'tables', { name: 'web', replicas: 2 });
      await runningPods(up, 'tables', { app: 'web', count: 2 });
    });

    test('pods are shown in the columns of the server, and change without being asked for again', async () => {
      const { up } = shared.cluster;
      await using visit = await shared.open('list/pods');
      const { page } = visit;
      await page.getByRole('row').filter({ hasText: 'web-' }).filter({ hasText: 'Running' }).nth(1).waitFor();
      const columns = await page.locator('button.column').allInnerTexts();
      expect(columns.map((text) => text.replace(/\W/g, ''))).toEqual([
        'Name',
        'Namespace',
        'Ready',
        'Status',
        'Restarts',
        'Age',
      ]);
      await createDeployment(up, 'tables', { name: 'second', replicas: 1 });
      await page.getByRole('link', { name: /^second-/ }).waitFor();
      await up.json('/cluster/apis/apps/v1/namespaces/tables/deployments/second', { method: 'DELETE' });
      await page.getByRole('link', { name: /^second-/ }).waitFor({ state: 'detached' });
      expect(visit.problems).toEqual([]);
    });

    test('the text, label and field filters and the namespace choose rows', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'tables', { name: 'red', labels: { colour: 'red' } });
      await createConfigMap(up, 'tables', { name: 'blue', labels: { colour: 'blue' } });
      await using visit = await shared.open('list/configmaps');
      const { page } = visit;
      const names = async (): Promise<string[]> =>
        (await page.locator('.cell.name a').allInnerTexts()).filter((name) => name !== 'kube-root-ca.crt');
      await page.getByLabel('namespace', { exact: true }).selectOption('tables');
      await expect.poll(names).toEqual(['blue', 'red']);
      await page.keyboard.press('/');
      await page.keyboard.type('colour=re');
      await expect.poll(names).toEqual(['red']);
      await page.getByLabel('Filter configmaps by text').fill('');
      await page.getByLabel('Label selector').fill('colour=blue');
      await page.getByLabel('Label selector').press('Enter');
      await expect.poll(names).toEqual(['blue']);
      await page.getByLabel('Label selector').fill('');
      await page.getByLabel('Label selector').press('Enter');
      await page.getByLabel('Field selector').fill('metadata.name=red');
      await page.getByLabel('Field selector').press('Enter');
      await expect.poll(names).toEqual(['red']);
      expect(await page.locator('.view-footer code').innerText()).toBe(
        'kubectl get configmaps -n tables --field-selector metadata.name=red',
      );
      expect(visit.problems).toEqual([]);
    });

    test('a selector that the server refuses says why', async () => {
      await using visit = await shared.open('list/pods?labels=%3D%3Dnot(a');
      await visit.page
        .getByText(/unable to parse requirement|found '=='/)
        .first()
        .waitFor();
    });

    test('a kind that is defined while the page is open gets its place and its columns', async () => {
      const { up } = shared.cluster;
      await using visit = await shared.open('list/pods');
      await up.json('/cluster/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        method: 'POST',
        body: crontabs,
      });
      const { page } = visit;
      await page.getByRole('link', { name: 'CronTab', exact: true }).click();
      await up.json('/cluster/apis/stable.example.com/v1/namespaces/tables/crontabs', {
        method: 'POST',
        body: {
          apiVersion: 'stable.example.com/v1',
          kind: 'CronTab',
          metadata: { name: 'mine' },
          spec: { schedule: '@daily' },
        },
      });
      await page.getByRole('link', { name: 'mine' }).waitFor();
      await page.getByRole('gridcell', { name: '@daily' }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('columns sort rows, numbers by their size', async () => {
      const { up } = shared.cluster;
      for (const [name, count] of [
        ['few', 2],
        ['many', 10],
        ['one', 1],
      ] as const)
        await createConfigMap(up, 'tables', {
          name,
          labels: { sorted: 'yes' },
          data: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ''])),
        });
      await using visit = await shared.open('list/configmaps?labels=sorted%3Dyes');
      const { page } = visit;
      const names = (): Promise<string[]> => page.locator('.cell.name a').allInnerTexts();
      await expect.poll(names).toEqual(['few', 'many', 'one']);
      await page.getByRole('button', { name: 'Data' }).click();
      await expect.poll(names).toEqual(['one', 'few', 'many']);
      await page.getByRole('button', { name: 'Data' }).click();
      await expect.poll(names).toEqual(['many', 'few', 'one']);
    });

    test('selected objects are deleted together, after a question that names them', async () => {
      const { up } = shared.cluster;
      for (const name of ['a1', 'a2', 'a3']) await createConfigMap(up, 'tables', { name, labels: { doomed: 'yes' } });
      await using visit = await shared.open('list/configmaps?labels=doomed%3Dyes');
      const { page } = visit;
      await page.getByLabel('Select a3').check();
      await page.getByLabel('Select all').check();
      await page.getByLabel('Select a2').uncheck();
      await page.getByRole('button', { name: 'Delete 2' }).click();
      const question = page.getByRole('dialog', { name: 'Delete 2 configmaps?' });
      expect(await question.getByRole('listitem').allInnerTexts()).toEqual(['tables/a1', 'tables/a3']);
      expect(await question.locator('.kubectl code').innerText()).toBe('kubectl delete configmaps a1 a3 -n tables');
      await question.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('link', { name: 'a1' }).waitFor({ state: 'detached' });
      await expect.poll(() => page.locator('.cell.name a').allInnerTexts()).toEqual(['a2']);
      expect(visit.problems).toEqual([]);
    });

    test('the keyboard moves through rows, selects and opens them', async () => {
      await using visit = await shared.open('overview');
      const { page } = visit;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('p');
      await page.getByLabel('namespace', { exact: true }).selectOption('tables');
      await page.locator('.table-row a').nth(1).waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await page.getByRole('row', { selected: true }).waitFor();
      const name = await page.locator('.table-row.cursor a').innerText();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: new RegExp(name) }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
    });

    test('the search finds kinds by short names and objects of any kind', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'tables', { name: 'needle-in-a-haystack' });
      await using visit = await shared.open('overview');
      const { page } = visit;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByLabel('Search for').waitFor();
      await page.keyboard.type('deploy'); // the field has the focus
      await page.getByRole('option', { name: /^Deployment/ }).waitFor();
      await page.getByLabel('Search for').fill('needle');
      await page.getByRole('option', { name: /needle-in-a-haystack/ }).click();
      await page.getByRole('heading', { level: 1, name: 'needle-in-a-haystack' }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('of three thousand rows only those in view are in the document, and the last one can be scrolled to', async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'large');
      const names = Array.from({ length: 3000 }, (_, index) => `row-${String(index).padStart(4, '0')}`);
      for (let from = 0; from < names.length; from += 100)
        await Promise.all(names.slice(from, from + 100).map((name) => createConfigMap(up, 'large', { name })));
      await using visit = await shared.open('list/configmaps?filter=row-');
      const { page } = visit;
      await page.getByText('3000 of').waitFor();
      expect(await page.locator('.table-row').count()).toBeLessThan(80);
      await page.getByRole('grid').focus();
      await page.keyboard.press('End');
      await page.getByRole('link', { name: 'row-2999' }).waitFor();
      expect(await page.locator('.table-row').count()).toBeLessThan(80);
      expect(visit.problems).toEqual([]);
    });
  });
}

const crontabs = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.stable.example.com' },
  spec: {
    group: 'stable.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', shortNames: ['ct'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { schedule: { type: 'string', description: 'When it runs, as cron writes it.' } },
              },
            },
          },
        },
      },
    ],
  },
};
