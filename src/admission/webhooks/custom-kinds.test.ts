import { expect, test } from 'vitest';
import { HookPlane, patching } from '../testing/hook-plane.ts';

const version = (name: string, isStored: boolean) => ({
  name,
  served: true,
  storage: isStored,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { size: { type: 'integer' }, unit: { type: 'string', default: 'inch' } } },
      },
    },
  },
});
const definition = {
  metadata: { name: 'boats.sea.dev' },
  spec: {
    group: 'sea.dev',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [version('v1', true), version('v2', false)],
  },
};
const PATH = '/apis/sea.dev/v1/namespaces/default/boats';
const rules = [{ operations: ['*'], apiGroups: ['sea.dev'], apiVersions: ['v2'], resources: ['boats'] }];
const boat = { apiVersion: 'sea.dev/v1', kind: 'Boat', metadata: { name: 'ada' } };

/** A control plane that serves boats, which webhooks want to see in v2. */
async function start(): Promise<HookPlane> {
  const hooks = await HookPlane.start();
  const made = await hooks.plane.admin('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  expect(made).toMatchObject({ code: 201 });
  const { registry } = hooks.plane.plane.server;
  for (let turn = 0; turn < 100 && registry.find('sea.dev', 'v1', 'boats') === undefined; turn += 1) {
    await hooks.plane.clock.advance('1s');
  }
  return hooks;
}

test('a webhook changes custom objects in the version that it wants; defaults are filled in, unknown fields dropped', async () => {
  const hooks = await start();
  const answer = () => patching({ op: 'add', path: '/spec', value: { size: 3, color: 'red' } });
  await hooks.configure('mutating', 'hook', { rules, answer });
  const { code, body } = await hooks.plane.admin('POST', PATH, boat);
  expect(code).toBe(201);
  expect(body['spec']).toEqual({ size: 3, unit: 'inch' });
  expect(hooks.reviews[0]?.review.request).toMatchObject({
    kind: { group: 'sea.dev', version: 'v2', kind: 'Boat' },
    requestKind: { group: 'sea.dev', version: 'v1', kind: 'Boat' },
    object: { apiVersion: 'sea.dev/v2' },
  });
});

test('the object a webhook returns is validated by its schema', async () => {
  const hooks = await start();
  const answer = () => patching({ op: 'add', path: '/spec', value: { size: 'big' } });
  await hooks.configure('mutating', 'hook', { rules, answer });
  const { code, body } = await hooks.plane.admin('POST', PATH, boat);
  expect(code).toBe(422);
  expect(body['message']).toContain('spec.size: Invalid value: "string"');
});
