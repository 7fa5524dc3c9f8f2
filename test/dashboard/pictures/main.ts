// `npm run dashboard:pictures [-- NAME…]`: draws the pictures of docs/guides/dashboard.md in a real browser, each view once.
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findTool } from '../../../src/base/testing/find-tool.ts';
import { type Page, TestBrowser, type Visit } from '../support/browser.ts';
import { DashboardCluster } from '../support/dashboard-cluster.ts';
import { deployment, makeShop, type Shop } from './scene.ts';

interface Picture {
  readonly name: string;
  readonly place: string;
  readonly isDark?: boolean;
  /** Brings the view into the state that is shown. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

const SIZE = { width: 1200, height: 700 };
const program = join('dist', 'keelson.js');
const MAX_BYTES = 200 * 1024;
const folder = join('docs', 'images', 'dashboard');
const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

if (findTool('chromium-headless-shell') === undefined) {
  console.error('chromium-headless-shell is not installed, or not on the PATH: set CHROMIUM');
  process.exit(1);
}
await mkdir(folder, { recursive: true });
await using browser = await TestBrowser.launch();
{
  await using cluster = await DashboardCluster.start({ program });
  await cluster.up.json('/keelson/info'); // reconciles are noted from now on
  const shop = await makeShop(cluster.up);
  for (const picture of pictures(shop)) if (isWanted(picture.name)) await draw(cluster.up.url, picture);
}
if (isWanted('learn')) {
  await using learning = await DashboardCluster.start({ command: 'learn', program });
  await draw(learning.up.url, {
    name: 'learn',
    place: 'learn',
    prepare: async (page) => {
      await page.locator('.walks button').first().click();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Go on' }).waitFor();
      await learning.up.json('/cluster/apis/apps/v1/namespaces/default/deployments', {
        method: 'POST',
        body: deployment('web', 'nginx', 3),
      });
      for (let count = 0; count < 4; count++) {
        await page.getByRole('button', { name: 'Next write' }).click();
        await page.waitForTimeout(400);
      }
      await page.getByRole('option').filter({ hasText: 'create pods' }).first().waitFor();
    },
  });
}

function pictures({ web: pod, mailer }: Shop): readonly Picture[] {
  const web = 'object/deployments.apps/shop/web';
  return [
    { name: 'overview', place: 'overview', prepare: (page) => page.getByText('FailedScheduling').first().waitFor() },
    { name: 'list', place: 'list/pods', prepare: (page) => page.getByRole('row').nth(5).waitFor() },
    { name: 'search', place: 'list/pods', prepare: search },
    { name: 'object', place: `object/pods/shop/${pod}`, prepare: (page) => page.locator('.course').first().waitFor() },
    {
      name: 'yaml',
      place: `${web}?tab=yaml`,
      prepare: (page) => page.locator('.yaml-row').filter({ hasText: 'replicas: 4' }).first().hover(),
    },
    {
      name: 'applied',
      place: 'object/deployments.apps/shop/mailer?tab=applied',
      prepare: (page) => page.locator('.difference .added').first().waitFor(),
    },
    {
      name: 'logs',
      place: `object/pods/shop/${mailer}?tab=logs`,
      prepare: (page) => page.getByText('3 mails sent').first().waitFor(),
    },
    { name: 'ports', place: `object/pods/shop/${mailer}`, prepare: forward },
    { name: 'edit', place: `${web}?tab=edit`, prepare: edit },
    { name: 'files', place: `object/pods/shop/${pod}?tab=files&folder=/etc&file=hosts`, prepare: waitForFile },
    { name: 'terminal', place: `object/pods/shop/${pod}?tab=terminal`, prepare: type },
    { name: 'causes', place: `${web}?tab=causes`, isDark: true, prepare: chooseCause },
    { name: 'history', place: `object/configmaps/shop/settings?tab=history`, prepare: openChange },
    { name: 'past', place: `${web}?tab=history`, prepare: goBack },
    { name: 'requests', place: 'requests', prepare: openRefusal },
    {
      name: 'extensions',
      place: 'extensions',
      prepare: (page) => page.getByText('object.spec.replicas').first().waitFor(),
    },
    { name: 'try', place: 'try', prepare: tryIt },
  ];
}

async function draw(url: string, { name, place, isDark = false, prepare }: Picture): Promise<void> {
  await using visit: Visit = await browser.visit(url, { size: SIZE, colorScheme: isDark ? 'dark' : 'light' });
  const { page } = visit;
  await page.getByRole('main').waitFor();
  await visit.go(place);
  await prepare?.(page);
  await page.waitForTimeout(800); // until what moves has come to rest
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  const { size } = await stat(path);
  console.log(`${name}.png ${Math.round(size / 1024)} KB${size > MAX_BYTES ? ', too large' : ''}`);
  if (size > MAX_BYTES) process.exitCode = 1;
}

async function search(page: Page): Promise<void> {
  await page.getByRole('row').nth(5).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search for').fill('web');
  await page
    .getByRole('option', { name: /Service in shop/ })
    .first()
    .waitFor();
}

async function edit(page: Page): Promise<void> {
  await page.locator('.cm-line').filter({ hasText: 'replicas: 4' }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('6');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.locator('.difference .added').first().waitFor();
}

async function forward(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Forward port 8025' }).click();
  await page.locator('.forwarded').waitFor();
  await page.locator('.forwarded').scrollIntoViewIfNeeded();
}

function waitForFile(page: Page): Promise<void> {
  return page.locator('.file-contents .log-row').first().waitFor();
}

async function type(page: Page): Promise<void> {
  await page.locator('.xterm-rows').getByText('#').first().waitFor();
  for (const line of ['hostname', 'ls /etc', 'cat /etc/hosts']) {
    await page.keyboard.type(line);
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
  }
}

async function chooseCause(page: Page): Promise<void> {
  const step = page.getByRole('option').filter({ hasText: /create pods\/binding/ });
  await step.first().click();
  await page.mouse.move(600, 20);
}

async function openChange(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'data.colour: green → blue' }).click();
  await page.locator('.difference .added').first().waitFor();
}

async function goBack(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'spec.replicas: 3 → 4' }).click();
  await page.getByRole('button', { name: 'The page as of then' }).click();
  await page.locator('.time-bar.past').waitFor();
  await page.evaluate(`location.hash = '#/list/pods'`);
  await page.getByRole('row').nth(5).waitFor();
}

async function openRefusal(page: Page): Promise<void> {
  await page.getByLabel('Filter requests by text').fill('422');
  await page.locator('.request-row a').first().click();
  await page.getByText('ValidatingAdmissionPolicy').first().waitFor();
}

async function tryIt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('201 would be accepted').waitFor();
}
