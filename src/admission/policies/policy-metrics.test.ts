import { expect, test } from 'vitest';
import type { TestCluster } from '../../testing/index.ts';
import { mutate, startServer, validate } from '../testing/policy-cluster.ts';

/** The counters with this prefix, which is stripped from their names. */
async function counters(cluster: TestCluster, beginning: string): Promise<readonly string[]> {
  const lines = (await cluster.client.text('/metrics')).split('\n');
  const isCounter = new RegExp(`^${beginning}\\w*(_count|_total)\\{`);
  return lines.filter((line) => isCounter.test(line)).map((line) => line.slice(beginning.length));
}

test('checks of validating policies are counted by their outcome', async () => {
  await using cluster = await startServer();
  await validate(cluster.client, 'denies', { validations: [{ expression: "object.metadata.name != 'bad'" }] });
  await validate(cluster.client, 'ignores', {
    failurePolicy: 'Ignore',
    validations: [{ expression: "object.data['none'] == ''" }],
    matchConditions: [{ name: 'not', expression: "object.metadata.name != 'other'" }],
  });
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  await expect(maps.create({ metadata: { name: 'bad' } })).rejects.toThrow('denied');
  await maps.create({ metadata: { name: 'other' } });
  expect(await counters(cluster, 'apiserver_validating_admission_policy_')).toEqual([
    'check_duration_seconds_count{enforcement_action="allow",error_type="invalid_error",policy="ignores",policy_binding="ignores"} 1',
    'check_duration_seconds_count{enforcement_action="deny",error_type="invalid_error",policy="denies",policy_binding="denies"} 1',
    'check_total{enforcement_action="allow",error_type="invalid_error",policy="ignores",policy_binding="ignores"} 1',
    'check_total{enforcement_action="deny",error_type="invalid_error",policy="denies",policy_binding="denies"} 1',
  ]);
  expect(await counters(cluster, 'apiserver_admission_match_condition_')).toEqual([
    'evaluation_seconds_count{kind="policy",name="ignores",operation="CREATE",type="validate"} 2',
  ]);
});

test('mutations by policies, and conditions that fail, are counted', async () => {
  await using cluster = await startServer();
  const expression = 'Object{metadata: Object.metadata{labels: {"a": "b"}}}';
  const mutations = [{ patchType: 'ApplyConfiguration' as const, applyConfiguration: { expression } }];
  await mutate(cluster.client, 'labels', { mutations, reinvocationPolicy: 'Never' });
  const matchConditions = [{ name: 'fails', expression: "object.data['none'] == ''" }];
  await mutate(cluster.client, 'never', {
    mutations,
    matchConditions,
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'Never',
  });
  await cluster.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'a' } });
  expect(await counters(cluster, 'apiserver_mutating_admission_policy_')).toEqual([
    'check_duration_seconds_count{error_type="no_error",policy="labels",policy_binding="labels"} 1',
    'check_total{error_type="no_error",policy="labels",policy_binding="labels"} 1',
  ]);
  expect(await counters(cluster, 'apiserver_admission_match_condition_evaluation_errors')).toHaveLength(1);
});
