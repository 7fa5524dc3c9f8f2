import { beforeAll, describe, expect, test } from 'vitest';
import type { Shared } from './support/shared.ts';
import { createConfigMap, createNamespace } from './support/objects.ts';

const SCRIPT = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';

/** Objects are written by people who may mean harm: whatever they hold is text. */
export function describeHostileContents(shared: Shared): void {
  describe('hostile contents', () => {
    beforeAll(() => createNamespace(shared.cluster.up, 'hostile'));

    test('markup in every field that is shown stays text', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'hostile', {
        name: 'markup',
        data: { [`key.${'x'.repeat(40)}`]: SCRIPT, text: `${SCRIPT}\n${SCRIPT}\n` },
        annotations: { note: SCRIPT },
      });
      const { metadata } = await up.json<{ metadata: { uid: string } }>(
        '/cluster/api/v1/namespaces/hostile/configmaps/markup',
      );
      await up.json('/cluster/api/v1/namespaces/hostile/events', {
        method: 'POST',
        body: {
          metadata: { name: 'markup.1' },
          involvedObject: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            namespace: 'hostile',
            name: 'markup',
            uid: metadata.uid,
          },
          type: 'Warning',
          reason: '<b>Reason</b>',
          message: SCRIPT,
          source: { component: '<i>component</i>' },
          lastTimestamp: new Date().toISOString(),
        },
      });
      await using visit = await shared.open('object/configmaps/hostile/markup');
      const { page } = visit;
      await page.getByRole('cell', { name: '<b>Reason</b>' }).waitFor();
      for (const tab of ['YAML', 'Edit', 'Applied', 'Because of what']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      }
      await visit.go('overview');
      await page.getByText('<b>Reason</b>').first().waitFor();
      await visit.go('list/events');
      await page.getByText(SCRIPT).first().waitFor();
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(visit.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    });

    test('markup in definitions, columns, conditions, messages and differences stays text', async () => {
      const { up } = shared.cluster;
      await up.json('/cluster/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        method: 'POST',
        body: traps,
      });
      const path = '/cluster/apis/hostile.example.com/v1/namespaces/hostile/traps';
      const trap = {
        apiVersion: 'hostile.example.com/v1',
        kind: 'Trap',
        metadata: { name: 'trap', annotations: { [`hostile.example.com/note`]: SCRIPT } },
        spec: { bait: SCRIPT },
        status: { conditions: [{ type: SCRIPT, status: SCRIPT, reason: SCRIPT, message: SCRIPT }] },
      };
      await expect.poll(async () => (await up.request(path, { method: 'POST', body: trap })).status).toBe(201);
      await up.json(`${path}/trap?fieldManager=${encodeURIComponent('<b>manager</b>')}`, {
        method: 'PATCH',
        type: 'application/merge-patch+json',
        body: { spec: { bait: `${SCRIPT}${SCRIPT}` } },
      });
      await using visit = await shared.open('list/traps.hostile.example.com');
      const { page } = visit;
      await page.getByRole('gridcell', { name: SCRIPT }).first().waitFor();
      await visit.go('object/traps.hostile.example.com/hostile/trap');
      await page.getByRole('cell', { name: SCRIPT }).first().waitFor();
      await page.getByRole('tab', { name: 'YAML' }).click();
      await page.locator('.yaml-row').filter({ hasText: 'bait' }).hover();
      await page.getByText(`What it is: ${SCRIPT}`).waitFor();
      await page.locator('.margin').filter({ hasText: '<b>manager</b>' }).first().waitFor();
      await page.getByRole('tab', { name: 'Because of what' }).click();
      await page.locator('.cause-row').nth(1).waitFor();
      await page.getByRole('tab', { name: 'History' }).click();
      await page
        .getByRole('link', { name: /^spec\.bait/ })
        .first()
        .click();
      await page.locator('.difference .added').first().waitFor();
      await visit.go('requests');
      await page.locator('.request-row').first().waitFor();
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(visit.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
    });

    test('names and contents of files in containers stay text', async () => {
      const { up } = shared.cluster;
      await up.json('/cluster/api/v1/namespaces/hostile/pods', {
        method: 'POST',
        body: { metadata: { name: 'filed' }, spec: { containers: [{ name: 'filed', image: 'nginx' }] } },
      });
      await using visit = await shared.open('object/pods/hostile/filed?tab=terminal');
      const { page } = visit;
      await page.locator('.xterm-rows').getByText('#').first().waitFor();
      await page.keyboard.type(`echo '${SCRIPT}' > '/tmp/<img src=x onerror=pwned>'; echo written`);
      await page.keyboard.press('Enter');
      await page
        .locator('.xterm-rows')
        .getByText(/^written/)
        .waitFor();
      await visit.go('object/pods/hostile/filed?tab=files&folder=/tmp');
      await page.getByRole('button', { name: '<img src=x onerror=pwned>' }).click();
      await page.locator('.file-contents').getByText(SCRIPT).waitFor();
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(visit.problems).toEqual([]);
    });

    test('addresses that try to run a script lead nowhere', async () => {
      await using visit = await shared.open(
        `object/pods/${encodeURIComponent(SCRIPT)}/${encodeURIComponent('javascript:alert(1)')}`,
      );
      await visit.page
        .getByText(/There is no Pod|Cannot show/)
        .first()
        .waitFor();
      await visit.go('list/%3Cscript%3E');
      await visit.page.getByText('The server has no resource "<script>"').waitFor();
      await visit.go('%E0%A4%A/%');
      await visit.page.getByText('There is nothing here.').waitFor();
      expect(await visit.page.evaluate('window.pwned')).toBeUndefined();
    });

    test('a field of a megabyte is shown in part, and the page stays usable', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'hostile', {
        name: 'large',
        data: { lines: 'line of text\n'.repeat(40_000), one: 'x'.repeat(400_000) },
      });
      await using visit = await shared.open('object/configmaps/hostile/large?tab=yaml');
      const { page } = visit;
      await page.locator('.yaml-row').filter({ hasText: 'line of text' }).first().waitFor();
      expect(await page.locator('.yaml-row').count()).toBeLessThan(120);
      await page.getByRole('tab', { name: 'Overview' }).click();
      await page.getByRole('tree').waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('control characters in logs and terminals do no harm', async () => {
      const { up } = shared.cluster;
      // a colour, a bell, a title and a link, as a program in the container might send them
      const printed = String.raw`\033[31mred\033[0m \007\033]0;evil\007\033]8;;http://evil.example\007<b>bold</b>\n`;
      await up.json('/cluster/api/v1/namespaces/hostile/pods', {
        method: 'POST',
        body: {
          metadata: { name: 'noisy', annotations: { note: SCRIPT } },
          spec: {
            containers: [{ name: 'noisy', image: 'busybox', command: ['sh', '-c', `printf '${printed}'; sleep 9999`] }],
          },
        },
      });
      await using visit = await shared.open('object/pods/hostile/noisy?tab=logs');
      const { page } = visit;
      await page.locator('.log-row').first().waitFor();
      expect(await page.locator('.log-row code').first().innerText()).toBe('red <b>bold</b>');
      await page.getByRole('tab', { name: 'Terminal' }).click();
      await page.locator('.xterm-rows').getByText('#').first().waitFor();
      await page.keyboard.type(`printf '${printed}'`);
      await page.keyboard.press('Enter');
      await page
        .locator('.xterm-rows')
        .getByText(/^red\s+<b>bold<\/b>/)
        .waitFor();
      expect(await page.locator('.xterm-rows b').count()).toBe(0);
      expect(await page.title()).toBe('Keelson');
      expect(visit.problems).toEqual([]);
    });
  });
}

const traps = {
  metadata: { name: 'traps.hostile.example.com' },
  spec: {
    group: 'hostile.example.com',
    scope: 'Namespaced',
    names: { plural: 'traps', singular: 'trap', kind: 'Trap' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: '<b>Bait</b>', type: 'string', jsonPath: '.spec.bait', description: SCRIPT },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { bait: { type: 'string', description: `What it is: ${SCRIPT}` } },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
