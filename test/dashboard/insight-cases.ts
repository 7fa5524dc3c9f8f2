import { beforeAll, describe, expect, test } from 'vitest';
import type { Shared } from './support/shared.ts';
import { createConfigMap, createDeployment, createNamespace, runningPods } from './support/objects.ts';

/** Causes, requests, the past and extension points: what only a cluster of Keelson's knows. */
export function describeInsight(shared: Shared): void {
  describe('insight', () => {
    beforeAll(() => createNamespace(shared.cluster.up, 'insight'));

    test('the chain from a Deployment to running pods is shown as a graph in time', async () => {
      const { up } = shared.cluster;
      await createDeployment(up, 'insight', { name: 'chain', replicas: 1 });
      const [pod = ''] = await runningPods(up, 'insight', { app: 'chain', count: 1 });
      await using visit = await shared.open('object/deployments.apps/insight/chain?tab=causes');
      const { page } = visit;
      const steps = page.getByRole('listbox', { name: 'Steps in order of time' });
      await steps.getByRole('option').filter({ hasText: 'create deployments insight/chain' }).waitFor();
      await steps
        .getByRole('option')
        .filter({ hasText: /create replicasets insight\/chain-/ })
        .waitFor();
      await steps
        .getByRole('option')
        .filter({ hasText: `create pods insight/${pod}` })
        .waitFor();
      await steps
        .getByRole('option')
        .filter({ hasText: /create pods\/binding/ })
        .waitFor();
      await steps
        .getByRole('option')
        .filter({ hasText: `create pods insight/${pod}` })
        .click();
      const detail = page.getByRole('complementary', { name: 'The step' });
      await detail.getByText(/Because of reconcile insight\/chain-/).waitFor();
      await detail.getByRole('link', { name: 'the request' }).click();
      await page.getByRole('list', { name: 'Stages of the request' }).getByText('authorization').first().waitFor();
      await page.getByRole('list', { name: 'Stages of the request' }).getByText('RBAC').first().waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('a change shows what it did and by whom, and can be put back', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'insight', { name: 'history', data: { colour: 'red' } });
      await up.json('/cluster/api/v1/namespaces/insight/configmaps/history?fieldManager=painter', {
        method: 'PATCH',
        type: 'application/merge-patch+json',
        body: { data: { colour: 'blue' } },
      });
      await using visit = await shared.open('object/configmaps/insight/history?tab=history');
      const { page } = visit;
      const row = page.locator('.change-row').filter({ hasText: 'painter' });
      expect(await row.getByRole('link').innerText()).toBe('data.colour: red → blue');
      await row.getByRole('link').click();
      await page.locator('.difference .removed').filter({ hasText: 'colour: red' }).waitFor();
      await page.locator('.difference .added').filter({ hasText: 'colour: blue' }).waitFor();
      await page.getByRole('button', { name: 'Put back…' }).click();
      const question = page.getByRole('dialog');
      await question.locator('.difference .added').filter({ hasText: 'colour: red' }).waitFor();
      await question.getByRole('button', { name: 'Put back' }).click();
      await page.getByText(/is as it was before revision/).waitFor();
      const { data } = await up.json<{ data: Record<string, string> }>(
        '/cluster/api/v1/namespaces/insight/configmaps/history',
      );
      expect(data).toEqual({ colour: 'red' });
      expect(visit.problems).toEqual([]);
    });

    test('a deleted object can be made again', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'insight', { name: 'lost', data: { a: 'b' } });
      await up.json('/cluster/api/v1/namespaces/insight/configmaps/lost', { method: 'DELETE' });
      await using visit = await shared.open('history?resource=configmaps');
      const { page } = visit;
      await page
        .locator('.change-row')
        .filter({ hasText: 'delete' })
        .filter({ hasText: 'insight/lost' })
        .getByRole('link')
        .click();
      await page.getByRole('button', { name: 'Put back…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create again' }).click();
      await page.getByText(/is as it was before revision/).waitFor();
      expect((await up.request('/cluster/api/v1/namespaces/insight/configmaps/lost')).status).toBe(200);
    });

    test('the whole page goes back to a moment, and to the present again', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'insight', { name: 'came-first' });
      const { metadata } = await up.json<{ metadata: { resourceVersion: string } }>(
        '/cluster/api/v1/namespaces/insight/configmaps/came-first',
      );
      await createConfigMap(up, 'insight', { name: 'came-later' });
      await using visit = await shared.open(`history/${metadata.resourceVersion}`);
      const { page } = visit;
      await page.getByRole('button', { name: 'The page as of then' }).click();
      await visit.go('list/configmaps?filter=came');
      await page.getByRole('link', { name: 'came-first' }).waitFor();
      expect(await page.getByRole('link', { name: 'came-later' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
      await page.getByRole('link', { name: 'came-first' }).click();
      await page.getByRole('tab', { name: 'YAML' }).click();
      await page.locator('.yaml-row').filter({ hasText: 'name: came-first' }).waitFor();
      expect(await page.getByRole('tab', { name: 'Edit' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Now', exact: true }).click();
      await visit.go('list/configmaps?filter=came');
      await page.getByRole('link', { name: 'came-later' }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('two states of an object are compared', async () => {
      const { up } = shared.cluster;
      await createConfigMap(up, 'insight', { name: 'compared', data: { step: 'one' } });
      for (const step of ['two', 'three'])
        await up.json('/cluster/api/v1/namespaces/insight/configmaps/compared', {
          method: 'PATCH',
          type: 'application/merge-patch+json',
          body: { data: { step } },
        });
      await using visit = await shared.open('object/configmaps/insight/compared?tab=history');
      const { page } = visit;
      await page.locator('.change-row').nth(2).getByRole('button', { name: 'from' }).click();
      await page.locator('.change-row').nth(0).getByRole('button', { name: 'to' }).click();
      await page.locator('.difference .removed').filter({ hasText: 'step: one' }).waitFor();
      await page.locator('.difference .added').filter({ hasText: 'step: three' }).waitFor();
      expect(visit.problems).toEqual([]);
    });

    test('the map of extension points has definitions, policies in running order, controllers and decisions', async () => {
      const { up } = shared.cluster;
      await up.json('/cluster/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
        method: 'POST',
        body: {
          metadata: { name: 'few-replicas' },
          spec: {
            matchConstraints: {
              resourceRules: [
                {
                  apiGroups: ['apps'],
                  apiVersions: ['v1'],
                  operations: ['CREATE', 'UPDATE'],
                  resources: ['deployments'],
                },
              ],
            },
            validations: [{ expression: 'object.spec.replicas <= 50', message: 'at most 50 replicas' }],
          },
        },
      });
      await up.json('/cluster/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
        method: 'POST',
        body: { metadata: { name: 'few-replicas' }, spec: { policyName: 'few-replicas', validationActions: ['Deny'] } },
      });
      await using visit = await shared.open('extensions');
      const { page } = visit;
      await page.getByText('object.spec.replicas <= 50').waitFor();
      await page.getByRole('cell', { name: 'replicaset', exact: true }).waitFor();
      await page.getByRole('heading', { name: /^Scheduler/ }).waitFor();
      await page.getByLabel('requests about').selectOption('configmaps');
      await page.getByText('object.spec.replicas <= 50').waitFor({ state: 'detached' });
      expect(visit.problems).toEqual([]);
    });

    test('a dry run says what would happen to an object, stage by stage', async () => {
      await using visit = await shared.open('try');
      const { page } = visit;
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText('200 would be accepted').or(page.getByText('201 would be accepted')).waitFor();
      await page.getByRole('list', { name: 'Stages of the request' }).getByText('authorization').first().waitFor();
      await page.locator('.difference .added').filter({ hasText: 'restartPolicy: Always' }).waitFor();
      await page.locator('.cm-line').filter({ hasText: 'image: nginx' }).click();
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+End');
      await page.keyboard.type('image: ""');
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page.getByText('422 would be refused').waitFor();
      await page
        .getByText(/spec\.containers\[0\]\.image: Required value/)
        .first()
        .waitFor();
    });
  });
}
