import { expect, test } from 'vitest';
import { mergePatch } from '../client/index.ts';
import { startCluster } from '../testing/index.ts';

test('the status of a policy reports the type errors of its expressions, once per generation', async () => {
  await using cluster = await startCluster({ nodes: 0, scheduler: false, seed: 'policy status' });
  const policies = cluster.client.admissionregistration.v1.validatingadmissionpolicies;
  const rule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*' as const], resources: ['deployments'] };
  await policies.create({
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      variables: [{ name: 'n', expression: 'object.spec.replicas' }],
      validations: [
        { expression: 'variables.n > 1' },
        { expression: "variables.n == 'many'", messageExpression: 'string(object.spec.none)' },
      ],
    },
  });
  await cluster.settle();
  const { status } = await policies.get('p');
  expect(status?.observedGeneration).toBe(1);
  expect(status?.typeChecking?.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[1].expression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n" +
        " | variables.n == 'many'\n | ............^\n",
    },
    {
      fieldRef: 'spec.validations[1].messageExpression',
      warning:
        "apps/v1, Kind=Deployment: ERROR: <input>:1:19: undefined field 'none'\n" +
        ' | string(object.spec.none)\n | ..................^\n',
    },
  ]);

  await policies.patch('p', mergePatch({ spec: { validations: [{ expression: 'variables.n > 1' }] } }));
  await cluster.settle();
  expect((await policies.get('p')).status).toEqual({ observedGeneration: 2 });
  expect(cluster.problems).toEqual([]);
});
