import { expect, test } from 'vitest';
import { ConfigMap, Event, Secret } from '../client/index.ts';
import { app, controller, rbacOf } from '../kit/index.ts';
import { startCluster } from './start-cluster.ts';

test('cluster.as() grants exactly these rules', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
  const ada = await cluster.as({ user: 'ada', rules });
  expect((await ada.core.v1.configmaps.namespace('default').list()).items.length).toBeGreaterThan(0);
  await expect(ada.core.v1.secrets.namespace('default').list()).rejects.toMatchObject({ code: 403 });
  const robot = await cluster.as({ serviceAccount: 'default/robot', rules, namespace: 'default' });
  await robot.core.v1.configmaps.namespace('default').list();
  await expect(robot.core.v1.configmaps.namespace('kube-system').list()).rejects.toThrow(
    'User "system:serviceaccount:default:robot" cannot list resource "configmaps"',
  );
  await cluster.as({ user: 'ada', rules: [] });
  await expect(ada.core.v1.configmaps.namespace('default').list()).rejects.toMatchObject({ code: 403 });
  await expect(cluster.as({ serviceAccount: 'robot', rules })).rejects.toThrow('it is written namespace/name');
});

test('rbacOf() gives the rules that a controller needs, and no more', async () => {
  const copier = app(
    'copier',
    [
      controller(ConfigMap, {
        where: { labelSelector: 'copy' },
        owns: [Secret],
        finalize: ({ metadata }, { event }) =>
          event({ type: 'Normal', reason: 'Gone', action: 'Delete', message: `${metadata.name} is gone` }),
        async reconcile({ metadata: { name = '', namespace = '' }, data }, { desire }) {
          await desire(Secret, { metadata: { name, namespace }, stringData: { ...data } });
        },
      }),
    ],
    { leaderElection: { namespace: 'default' } },
  );
  const { clusterRole, role } = rbacOf(copier, { namespace: 'default' });
  expect(clusterRole).toEqual({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'copier' },
    rules: [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: [''], resources: ['configmaps/finalizers'], verbs: ['update'] },
      { apiGroups: [''], resources: ['configmaps/status'], verbs: ['patch'] },
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    ],
  });
  expect(role).toMatchObject({
    metadata: { name: 'copier', namespace: 'default' },
    rules: [
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
    ],
  });

  await using cluster = await startCluster({ nodes: 0 });
  const rules = [...(clusterRole.rules ?? []), ...(role?.rules ?? [])];
  await cluster.run(copier, { as: await cluster.as({ serviceAccount: 'default/copier', rules }) });
  const maps = cluster.client.kind(ConfigMap).namespace('default');
  await maps.create({ metadata: { name: 'a', labels: { copy: '' } }, data: { b: 'c' } });
  await cluster.settle();
  expect((await cluster.client.kind(Secret).namespace('default').get('a')).data).toEqual({ b: 'Yw==' });
  await maps.delete('a');
  await cluster.settle();
  expect((await maps.list()).items.map(({ metadata }) => metadata.name)).not.toContain('a');
  const { items } = await cluster.client.kind(Event).namespace('default').list();
  expect(items.map(({ reason }) => reason)).toContain('Gone');
  expect(cluster.problems).toEqual([]);
});
