import { expect, test } from 'vitest';
import type { Authorizer, UserInfo } from '../../apiserver/index.ts';
import { statusAccessErrors } from './claim-status-access.ts';

type Status = Parameters<typeof statusAccessErrors>[1]['status'];

const alice: UserInfo = { name: 'alice', groups: ['system:authenticated'] };
const driver: UserInfo = {
  name: 'system:serviceaccount:default:driver',
  groups: [],
  extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
};
const onNode = {
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['n1'] }] }],
};
const result = { request: 'gpu', driver: 'd.example.com', pool: 'p', device: 'one' };
const allocated: Status = { allocation: { devices: { results: [result] }, nodeSelector: onNode } };
const described: Status = { ...allocated, devices: [{ driver: 'd.example.com', pool: 'p', device: 'one' }] };

/** The errors for a writer with these permissions, each such as `patch binding`. */
async function problems(user: UserInfo, [old, status]: [Status, Status], ...permissions: string[]): Promise<string[]> {
  const authorizer: Authorizer = {
    authorize: async ({ info }) => {
      const asked = [info.verb, info.subresource, info.name].filter((part) => part !== '').join(' ');
      return { verdict: permissions.includes(asked) ? 'allow' : 'noOpinion', reason: '' };
    },
  };
  const context = { user, verb: 'patch', signal: new AbortController().signal };
  const errors = await statusAccessErrors(authorizer, { status, old, namespace: 'default' }, context);
  return errors.map(({ field, detail }) => `${field}: ${detail}`);
}

test('allocating and reserving claims needs the permission to bind', async () => {
  const binding =
    'status.allocation: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="patch" permission: ' +
    'resourceclaims.resource.k8s.io is forbidden: User "alice" cannot patch resource "resourceclaims/binding" in API group "resource.k8s.io" at the cluster scope';
  expect(await problems(alice, [{}, allocated])).toEqual([binding]);
  const reserved = { ...allocated, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] };
  expect(await problems(alice, [allocated, reserved])).toEqual([binding]);
  expect(await problems(alice, [allocated, reserved], 'patch binding')).toEqual([]);
  expect(await problems(alice, [allocated, { ...allocated, reservedFor: [] }])).toEqual([]);
});

test('the status of devices is up to their driver, on its node or on any', async () => {
  const refused = (user: string, verbs: string): string =>
    `status.devices: changing status.devices requires resource="resourceclaims/driver", verb="[${verbs}]" permission: resourceclaims.resource.k8s.io "d.example.com" is forbidden: ` +
    `User "${user}" cannot ${verbs.split(' ')[0]} resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "default"`;
  expect(await problems(alice, [allocated, described])).toEqual([refused('alice', 'arbitrary-node:patch')]);
  const both = 'associated-node:patch arbitrary-node:patch';
  expect(await problems(driver, [described, allocated])).toEqual([refused(driver.name, both)]);
  expect(await problems(alice, [allocated, described], 'arbitrary-node:patch driver d.example.com')).toEqual([]);
  expect(await problems(driver, [allocated, described], 'associated-node:patch driver d.example.com')).toEqual([]);
  expect(await problems(alice, [allocated, described], 'associated-node:patch driver d.example.com')).toHaveLength(1);
});
