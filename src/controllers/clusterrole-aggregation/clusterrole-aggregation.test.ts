import { expect, test } from 'vitest';
import { startWith } from '../testing/controller-cluster.ts';
import { clusterRoleAggregation } from './clusterrole-aggregation.ts';

test('ClusterRoles get the rules of the roles that they select, ordered by name and without duplicates, and follow their changes', async () => {
  await using cluster = await startWith(clusterRoleAggregation());
  const roles = cluster.client.rbac.v1.clusterroles;
  const rule = (resource: string): { verbs: string[]; apiGroups: string[]; resources: string[] } => ({
    verbs: ['get'],
    apiGroups: [''],
    resources: [resource],
  });
  const labels = { part: 'yes' };
  const clusterRoleSelectors = [{ matchLabels: labels }, { matchLabels: { other: 'yes' } }];
  await roles.create({ metadata: { name: 'b', labels }, rules: [rule('b'), rule('c')] });
  await roles.create({ metadata: { name: 'a', labels }, rules: [rule('a'), rule('b')] });
  await roles.create({ metadata: { name: 'other', labels: { other: 'yes' } }, rules: [rule('c'), rule('d')] });
  await roles.create({ metadata: { name: 'whole', labels }, aggregationRule: { clusterRoleSelectors } });
  await cluster.settle();
  const granted = async (name: string): Promise<unknown> =>
    (await roles.get(name)).rules?.map(({ resources }) => resources?.join());
  expect(await granted('whole')).toEqual(['a', 'b', 'c', 'd']);

  await roles.delete('a');
  await cluster.settle();
  expect(await granted('whole')).toEqual(['b', 'c', 'd']);

  const circle = { matchLabels: { round: 'yes' } };
  for (const name of ['x', 'y', 'z']) {
    await roles.create({
      metadata: { name, labels: { round: 'yes' } },
      ...(name === 'z' ? { rules: [rule('z')] } : { aggregationRule: { clusterRoleSelectors: [circle] } }),
    });
  }
  await cluster.settle();
  expect([await granted('x'), await granted('y')]).toEqual([['z'], ['z']]);

  const view = await granted('view');
  expect(view).toEqual(await granted('system:aggregate-to-view'));
  expect(((await granted('admin')) as string[]).length).toBeGreaterThan((view as string[]).length);
  expect((await roles.get('view')).metadata.managedFields?.map(({ manager }) => manager)).toContain(
    'clusterrole-aggregation-controller',
  );
});
