import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Authorizer } from '../../apiserver/index.ts';
import { mergePatch } from '../../client/index.ts';
import { resource } from '../../kit/index.ts';
import { startServer, validate } from '../testing/policy-cluster.ts';

test('a policy takes effect when it is bound, follows changes, and ends with its binding', async () => {
  await using cluster = await startServer();
  const { v1 } = cluster.client.admissionregistration;
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  const write = (k: string): Promise<unknown> => maps.create({ metadata: { name: `n-${k}` }, data: { k } });
  await validate(cluster.client, 'p', { validations: [{ expression: "object.data.k == 'a'", message: 'only a' }] });
  await write('a');
  await expect(write('b')).rejects.toMatchObject({
    reason: 'Invalid',
    message: `configmaps "n-b" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: only a`,
  });

  const validations = [{ expression: "object.data.k == 'b'", message: 'only b' }];
  await v1.validatingadmissionpolicies.patch('p', mergePatch({ spec: { validations } }));
  await write('b');
  await expect(write('c')).rejects.toThrow('only b');

  await v1.validatingadmissionpolicybindings.delete('p');
  await write('c');
  expect(cluster.problems).toEqual([]);
});

const Limit = resource('limits.example.dev/v1', 'Limit', { spec: z.object({ most: z.int() }) });

test('parameters may be of a custom kind that is defined after the policy', async () => {
  await using cluster = await startServer();
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  await validate(cluster.client, 'p', {
    paramKind: { apiVersion: 'limits.example.dev/v1', kind: 'Limit' },
    validations: [{ expression: 'size(object.data) <= params.spec.most' }],
    paramRef: { name: 'limit', namespace: 'default', parameterNotFoundAction: 'Deny' },
  });
  const write = (data: Record<string, string>): Promise<unknown> =>
    maps.create({ metadata: { generateName: 'n-' }, data });
  await expect(write({})).rejects.toThrow(
    `ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: ` +
      `failed to find resource referenced by paramKind: 'limits.example.dev/v1, Kind=Limit'`,
  );

  await cluster.install(Limit);
  await expect(write({})).rejects.toThrow('no params found for policy binding with `Deny` parameterNotFoundAction');
  const limits = cluster.client.kind(Limit).namespace('default');
  await limits.create({ metadata: { name: 'limit' }, spec: { most: 1 } });
  await write({ a: '' });
  await expect(write({ a: '', b: '' })).rejects.toThrow('failed expression: size(object.data) <= params.spec.most');
});

test('expressions may call slow authorizers', async () => {
  const asked: string[] = [];
  const slow: Authorizer = {
    authorize: async ({ info, user }) => {
      await Promise.resolve();
      if (info.verb !== 'approve') return { verdict: 'noOpinion', reason: '' };
      asked.push(`${user.name} ${info.verb} ${info.resource} ${info.name}`);
      return { verdict: info.name === 'good' ? 'allow' : 'deny', reason: '' };
    },
  };
  await using cluster = await startServer({ authorizers: [slow] });
  const { v1 } = cluster.client.rbac;
  await v1.clusterroles.create({
    metadata: { name: 'writer' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }],
  });
  await v1.clusterrolebindings.create({
    metadata: { name: 'writer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
  });
  await validate(cluster.client, 'p', {
    validations: [{ expression: "authorizer.requestResource.check('approve').allowed()", reason: 'Forbidden' }],
  });
  const maps = cluster.as('ann').core.v1.configmaps.namespace('default');
  await maps.create({ metadata: { name: 'good' } });
  await expect(maps.create({ metadata: { name: 'bad' } })).rejects.toMatchObject({ reason: 'Forbidden' });
  expect(asked).toEqual(['ann approve configmaps good', 'ann approve configmaps bad']);
});
