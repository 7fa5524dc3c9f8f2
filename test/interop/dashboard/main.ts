// `npm run interop:dashboard [-- --picture FILE]`: the dashboard of a real kube-apiserver with the real controllers and scheduler, in a real browser.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeer, whyNoKube } from '../../../peers/index.ts';
import { findTool } from '../../../src/base/testing/find-tool.ts';
import type { CauseGraph, DashboardInfo } from '../../../src/dashboard/protocol.ts';
import { TestBrowser } from '../../dashboard/support/browser.ts';
import { DashboardProgram } from '../../dashboard/support/dashboard-cluster.ts';
import { runningPods } from '../../dashboard/support/objects.ts';
import { Kubectl } from '../../support/kubectl.ts';
import { startWithNode } from '../served-node.ts';

const { values } = parseArgs({ options: { picture: { type: 'string' } } });
const kubectlPath = findPeer('kubectl').path ?? findTool('kubectl');
const why =
  whyNoKube(['kube-controller-manager', 'kube-scheduler']) ??
  (findTool('chromium-headless-shell') === undefined ? 'chromium-headless-shell is not installed' : undefined) ??
  (kubectlPath === undefined ? 'kubectl is not installed' : undefined);
if (why !== undefined) {
  console.error(`skipped: ${why}`);
  process.exit(1);
}

const problems: string[] = [];
await using kube = await startWithNode('kube', undefined);
await using program = await DashboardProgram.start(join('dist', 'keelson.js'), [
  'dashboard',
  '--port=0',
  `--kubeconfig=${kube.kubeconfig}`,
]);
await using browser = await TestBrowser.launch();
const info = await program.json<DashboardInfo>('/keelson/info');
check('the server is not ours', !info.isKeelson && info.serverVersion.startsWith('v1.'));
check('its past is recorded from now on', info.canSeePast);

await using visit = await browser.visit(program.url, { size: { width: 1200, height: 700 } });
const { page } = visit;
await page.getByRole('heading', { name: 'Warnings' }).waitFor();
const kubectl = new Kubectl(kubectlPath ?? '', kube.kubeconfig);
await kubectl.output('create', 'deployment', 'web', '--image=nginx', '--replicas=2');
const pods = await runningPods(program, 'default', { app: 'web', count: 2 });

await visit.go('list/pods');
for (const pod of pods) await page.getByRole('link', { name: pod }).waitFor();
await page.getByRole('row').filter({ hasText: 'Running' }).nth(1).waitFor();
check('pods are listed, and run', true);

await visit.go('object/deployments.apps/default/web?tab=causes');
await page.getByText(/^Inferred from owners/).waitFor();
for (const step of [/create deployments default\/web/, /create replicasets default\/web-/, /create pods default\/web-/])
  await page.getByRole('option').filter({ hasText: step }).first().waitFor();
await page
  .getByRole('option')
  .filter({ hasText: /Scheduled pods web-/ })
  .first()
  .waitFor();
check('causes lead from the Deployment to its pods', true);
if (values.picture !== undefined) await page.screenshot({ path: values.picture });
const graph = await program.json<CauseGraph>(
  '/keelson/causes?resource=deployments.apps&namespace=default&name=web&depth=20',
);
check('they are inferred', graph.source === 'inferred');
for (const node of graph.nodes) {
  const who = node.type === 'write' ? (node.program ?? '') : node.type === 'event' ? (node.reporter ?? '') : '';
  console.log(`  ${node.time.slice(11, 23)} ${who.padEnd(24)} ${node.title}`);
}

await page.getByRole('tab', { name: 'History' }).click();
await page.locator('.change-row').first().waitFor();
await page.getByRole('tab', { name: 'YAML' }).click();
await page.locator('.yaml-row .margin').filter({ hasText: 'kubectl-create' }).first().waitFor();
await page.locator('.yaml-row').filter({ hasText: 'replicas: 2' }).first().hover();
await page.getByText(/Number of desired pods/).waitFor();
check('its history, its managers and what fields mean are shown', true);

await visit.go('extensions');
await page.getByRole('heading', { name: /API groups/ }).waitFor();
check('its extension points are shown', true);
await visit.go(`object/pods/default/${pods[0]}?tab=logs`);
await page.locator('.log-row').first().waitFor();
await visit.go(`object/pods/default/${pods[0]}?tab=terminal`);
await page.locator('.xterm-rows').getByText('#').first().waitFor();
check('logs and a terminal of a pod', true);
for (const problem of visit.problems.filter((text) => !/\b404\b/.test(text))) problems.push(problem);
check('the page complains of nothing', problems.length === 0);
for (const problem of problems) console.log(`  ${problem}`);

function check(what: string, isSo: boolean): void {
  console.log(`${isSo ? 'ok  ' : 'FAIL'} ${what}`);
  if (!isSo) process.exitCode = 1;
}
