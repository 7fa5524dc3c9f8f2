import { expect, test } from 'vitest';
import { LimitRange, Namespace, ResourceQuota } from '../client/index.ts';
import { controller, type Controller } from './index.ts';
import { runApp } from './testing/running-app.ts';

// A complete operator.
function teamNamespaces(bill: (team: string) => Promise<void>): Controller {
  return controller(Namespace, {
    name: 'team-namespaces',
    where: { labelSelector: 'team' },
    owns: [ResourceQuota, LimitRange],
    async reconcile({ metadata }, { desire, desireAll, event }) {
      const { name: namespace, labels } = metadata;
      const hard = { pods: labels?.['pods'] ?? '10', 'requests.cpu': '4' };
      const quota = await desire(ResourceQuota, { metadata: { name: 'team', namespace }, spec: { hard } });
      const limits = [{ type: 'Container', defaultRequest: { cpu: '100m' } }];
      const range = { metadata: { name: 'team', namespace }, spec: { limits } };
      await desireAll(LimitRange, labels?.['limits'] === 'none' ? [] : [range]);
      event({ reason: 'Equipped', message: `Quota is ${JSON.stringify(quota.spec?.hard)}` });
      return { conditions: [{ type: 'Equipped', status: 'True' }] };
    },
    finalize: ({ metadata }) => bill(metadata.labels?.['team'] ?? ''),
  });
}

test('an operator of 20 lines keeps children, status, events and a finalizer', async () => {
  const billed: string[] = [];
  await using running = await runApp([teamNamespaces(async (team) => void billed.push(team))]);
  const { namespaces, resourcequotas, limitranges } = running.client.core.v1;
  const namespace = { metadata: { name: 'blue', labels: { team: 'blue' } } };
  await namespaces.create(namespace);
  await running.settle();

  expect((await resourcequotas.namespace('blue').get('team')).spec?.hard).toEqual({ pods: '10', 'requests.cpu': '4' });
  expect((await limitranges.namespace('blue').list()).items).toHaveLength(1);
  expect((await namespaces.get('blue')).status?.conditions).toMatchObject([{ type: 'Equipped', status: 'True' }]);
  expect((await running.client.core.v1.events.namespace('default').list()).items).toMatchObject([
    { reason: 'Equipped', involvedObject: { kind: 'Namespace', name: 'blue' } },
  ]);

  await namespaces.apply(
    { metadata: { name: 'blue', labels: { team: 'blue', pods: '20', limits: 'none' } } },
    { fieldManager: 'admin', force: true },
  );
  await running.settle();
  expect((await resourcequotas.namespace('blue').get('team')).spec?.hard?.['pods']).toBe('20');
  expect((await limitranges.namespace('blue').list()).items).toEqual([]);

  await namespaces.delete('blue');
  await running.settle();
  expect(billed).toEqual(['blue']);
  expect((await namespaces.get('blue')).metadata.finalizers ?? []).toEqual([]);
  expect(running.app.trace().every(({ outcome }) => outcome === 'done')).toBe(true);
});
