import { expect, test } from 'vitest';
import type { Condition } from '../../api/types/meta/v1.d.ts';
import { MemoryServer } from '../../apiserver/testing/memory-server.ts';
import { builtInResources } from '../built-in-resources.ts';

const PATH = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations';

class MigrationServer extends MemoryServer {
  constructor() {
    super();
    const { types, objects, random, clock } = this;
    this.server.registry.register(builtInResources(types, { objects, random, clock }));
  }

  /** The error message; undefined if it is accepted. */
  async send(method: string, path: string, body: object): Promise<string | undefined> {
    const answer = await this.server.answer(this.callOf(method, path, { body }));
    return answer.type === 'status' ? answer.status.message : undefined;
  }
}

function migration(group: string, resource: string, status?: object): object {
  return {
    metadata: { name: 'm', ...(status === undefined ? {} : { resourceVersion: '' }) },
    spec: { resource: { group, resource } },
    status,
  };
}

function condition(type: string, more: Partial<Condition> = {}): Condition {
  return { type, status: 'True', reason: 'X', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', ...more };
}

/** As a real kube-apiserver 1.36 words it. */
test.each([
  ['', '', 'spec.resource.resource: Required value: resource is required to be set'],
  [
    'A b',
    'X y',
    `[spec.resource.resource: Invalid value: "X y": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?'), spec.resource.group: Invalid value: "A b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]`,
  ],
])('a migration of %j %j is refused', async (group, resource, message) => {
  await using api = new MigrationServer();
  expect(await api.send('POST', PATH, migration(group, resource))).toBe(
    `StorageVersionMigration.storagemigration.k8s.io "m" is invalid: ${message}`,
  );
});

test.each([
  [{ resourceVersion: '5' }, 'status.resourceVersion: Invalid value: "5": field is immutable'],
  [
    { resourceVersion: 'x' },
    '[status.resourceVersion: Invalid value: "x": resource version is not well formed: x, status.resourceVersion: Invalid value: "x": field is immutable]',
  ],
  [
    { conditions: [] },
    'status.conditions: Invalid value: []: Success condition cannot be set to false once it is true',
  ],
  [
    { conditions: [condition('Succeeded'), condition('Failed')] },
    'status.conditions: Invalid value: [{"type":"Succeeded","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"X","message":""},{"type":"Failed","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"X","message":""}]: Both success and failed conditions cannot be true at the same time',
  ],
  [
    {
      conditions: [
        condition('Succeeded'),
        { ...condition('a b', { status: 'Maybe', reason: '' }), lastTransitionTime: undefined },
      ],
    },
    `[status.conditions[1].type: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), status.conditions[1].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown", status.conditions[1].lastTransitionTime: Required value, status.conditions[1].reason: Required value]`,
  ],
])('a migration that has succeeded does not change to %j', async (change, message) => {
  await using api = new MigrationServer();
  expect(await api.send('POST', PATH, migration('', 'pods'))).toBeUndefined();
  const [{ metadata }] = (await api.objects.of('storagemigration.k8s.io', 'storageversionmigrations').list()) as [
    { metadata: object },
  ];
  const status = { resourceVersion: '7', conditions: [condition('Succeeded')] };
  const { spec } = migration('', 'pods') as { spec: object };
  expect(await api.send('PUT', `${PATH}/m/status`, { metadata, spec, status })).toBeUndefined();

  const [now] = (await api.objects.of('storagemigration.k8s.io', 'storageversionmigrations').list()) as [
    { metadata: object },
  ];
  expect(
    await api.send('PUT', `${PATH}/m/status`, { metadata: now.metadata, spec, status: { ...status, ...change } }),
  ).toBe(`StorageVersionMigration.storagemigration.k8s.io "m" is invalid: ${message}`);
});
