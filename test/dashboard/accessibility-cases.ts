import { beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaults, type Page } from './support/browser.ts';
import type { Shared } from './support/shared.ts';
import { createDeployment, createNamespace, runningPods } from './support/objects.ts';

/** Every view is usable by keyboard and screen readers, in both themes, and enlarged. */
export function describeAccessibility(shared: Shared): void {
  describe('accessibility', () => {
    let pod = '';
    beforeAll(async () => {
      const { up } = shared.cluster;
      await createNamespace(up, 'access');
      await createDeployment(up, 'access', { name: 'web', replicas: 1 });
      [pod = ''] = await runningPods(up, 'access', { app: 'web', count: 1 });
    });

    const views: readonly (readonly [name: string, place: () => string, isThere: (page: Page) => Promise<unknown>])[] =
      [
        ['the overview', () => 'overview', (page) => page.getByRole('heading', { name: 'Warnings' }).waitFor()],
        ['a list', () => 'list/pods', (page) => page.getByRole('row').nth(1).waitFor()],
        ['an object', () => `object/pods/access/${pod}`, (page) => page.getByRole('treeitem').nth(1).waitFor()],
        ['YAML', () => `object/pods/access/${pod}?tab=yaml`, (page) => page.locator('.yaml-row').nth(3).waitFor()],
        ['editing', () => `object/pods/access/${pod}?tab=edit`, (page) => page.locator('.cm-line').nth(3).waitFor()],
        ['logs', () => `object/pods/access/${pod}?tab=logs`, (page) => page.locator('.log-row').first().waitFor()],
        [
          'a terminal',
          () => `object/pods/access/${pod}?tab=terminal`,
          (page) => page.locator('.xterm-rows').getByText('#').first().waitFor(),
        ],
        [
          'files',
          () => `object/pods/access/${pod}?tab=files&folder=/etc&file=hosts`,
          (page) => page.locator('.file-contents .log-row').first().waitFor(),
        ],
        [
          'what was applied',
          () => `object/pods/access/${pod}?tab=applied`,
          (page) => page.getByText('It was never applied').waitFor(),
        ],
        [
          'causes',
          () => 'object/deployments.apps/access/web?tab=causes',
          (page) => page.locator('.cause-row').nth(1).waitFor(),
        ],
        [
          'the history of an object',
          () => `object/pods/access/${pod}?tab=history`,
          (page) => page.locator('.change-row').first().waitFor(),
        ],
        ['what changed', () => 'history', (page) => page.locator('.change-row').first().waitFor()],
        ['requests', () => 'requests', (page) => page.locator('.change-row').first().waitFor()],
        [
          'extension points',
          () => 'extensions',
          (page) => page.getByRole('heading', { name: /Controllers/ }).waitFor(),
        ],
        ['trying an object', () => 'try', (page) => page.locator('.cm-line').nth(3).waitFor()],
      ];

    for (const colorScheme of ['light', 'dark'] as const) {
      test.each(views)(`axe finds nothing wrong with %s in ${colorScheme} colours`, async (_, place, isThere) => {
        await using visit = await shared.open(place(), { colorScheme });
        await isThere(visit.page);
        expect(await accessibilityFaults(visit.page)).toEqual([]);
        expect(visit.problems).toEqual([]);
      });
    }

    test('axe finds nothing wrong with dialogs', async () => {
      await using visit = await shared.open('list/pods');
      const { page } = visit;
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.getByLabel('Search for').fill('pod');
      await page.getByRole('listbox', { name: 'Found' }).getByRole('option').first().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('enlarged to 200 %, nothing has to be scrolled sideways but tables', async () => {
      // a window of 1360 pixels enlarged twice has room for 680
      for (const [, place, isThere] of views) {
        await using visit = await shared.open(place(), { size: { width: 680, height: 410 } });
        await isThere(visit.page);
        expect(await visit.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), place()).toBe(true);
      }
    });

    test('on a narrow screen the views and kinds are a menu', async () => {
      await using visit = await shared.open('overview', { size: { width: 680, height: 410 } });
      const { page } = visit;
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
      await page.getByRole('button', { name: 'Menu' }).click();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('navigation').getByRole('link', { name: 'Pod', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Pod' }).waitFor();
      await expect.poll(() => page.getByRole('navigation').count()).toBe(0);
    });

    test('the colours can be switched, and stay switched', async () => {
      await using visit = await shared.open('list/pods', { colorScheme: 'light' });
      const { page } = visit;
      const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
      const light = await ground();
      await page.keyboard.press('t');
      await expect.poll(ground).not.toBe(light);
      const dark = await ground();
      await page.reload();
      await page.getByRole('navigation').waitFor();
      expect(await ground()).toBe(dark);
    });

    test('all that can be focused shows it', async () => {
      await using visit = await shared.open('list/pods');
      const { page } = visit;
      await page.getByRole('row').nth(1).waitFor();
      for (let count = 0; count < 30; count++) {
        await page.keyboard.press('Tab');
        const outline = await page.evaluate(
          'document.activeElement === document.body ? "solid" : getComputedStyle(document.activeElement).outlineStyle',
        );
        expect(
          ['solid', 'auto'],
          String(await page.evaluate('document.activeElement.outerHTML.slice(0, 200)')),
        ).toContain(outline);
      }
    });

    test('nothing that is shown jumps while a list is loaded and changes', async () => {
      const { up } = shared.cluster;
      await using visit = await shared.browser.visit(up.url);
      const { page } = visit;
      await page.evaluate(
        'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value; }).observe({ type: "layout-shift", buffered: true })',
      );
      await visit.go('list/pods');
      await page.getByRole('row').nth(1).waitFor();
      await createDeployment(up, 'access', { name: 'jumps', replicas: 3 });
      await runningPods(up, 'access', { app: 'jumps', count: 3 });
      await page
        .getByRole('link', { name: /^jumps-/ })
        .nth(2)
        .waitFor();
      expect(Number(await page.evaluate('window.shift'))).toBeLessThan(0.1);
    });
  });
}
