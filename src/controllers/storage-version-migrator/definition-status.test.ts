import { expect, onTestFinished, test } from 'vitest';
import { settle } from '../../base/index.ts';
import {
  type Client,
  CustomResourceDefinition,
  type Stored,
  type StorageVersionMigration,
} from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';
import { DefinitionStatus } from './definition-status.ts';

const signal = new AbortController().signal;

function migration(...types: readonly string[]): Stored<StorageVersionMigration> {
  const conditions = types.map((type) => ({ type, status: 'True', reason: type, message: '', lastTransitionTime: '' }));
  const metadata = { name: 'm', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const spec = { resource: { group: 'example.com', resource: 'widgets' } };
  const typeMeta = { apiVersion: 'storagemigration.k8s.io/v1beta1', kind: 'StorageVersionMigration' } as const;
  return { ...typeMeta, metadata, spec, status: { conditions } };
}

/** A CRD whose objects were stored as v1 and then as v2. */
async function start(): Promise<Client> {
  const cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0, seed: 'definitions' });
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const definitions = cluster.client.kind(CustomResourceDefinition);
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
  const created = await definitions.create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version('v1', false), version('v2', true)],
    },
  });
  await cluster.settle();
  const newest = await definitions.get(created.metadata.name);
  const status = { ...newest.status, storedVersions: ['v1', 'v2'], conditions: newest.status?.conditions ?? [] };
  await definitions.status.update({ ...newest, status });
  await cluster.settle();
  return cluster.client;
}

async function read(
  client: Client,
): Promise<{ readonly condition: string; readonly storedVersions: readonly string[] }> {
  const { status } = await client.kind(CustomResourceDefinition).get('widgets.example.com');
  const found = status?.conditions?.find(({ type }) => type === 'StorageMigrating');
  const condition = `${found?.status} ${found?.reason}: ${found?.message}`;
  return { condition, storedVersions: status?.storedVersions ?? [] };
}

test('a successful migration leaves one stored version', async () => {
  const client = await start();
  const status = new DefinitionStatus(client, signal);

  await status.begin(migration());
  expect(await read(client)).toEqual({
    condition: 'True MigrationRunning: Migration m is running',
    storedVersions: ['v1', 'v2'],
  });

  await status.end(migration('Running', 'Succeeded'));
  expect(await read(client)).toEqual({
    condition: 'False MigrationSucceeded: The migration has succeeded and the stored versions have been updated',
    storedVersions: ['v2'],
  });
});

test('a CRD that changed in between keeps its stored versions', async () => {
  const client = await start();
  const status = new DefinitionStatus(client, signal);
  await status.begin(migration());
  const definitions = client.kind(CustomResourceDefinition);
  const current = await definitions.get('widgets.example.com');
  const names = { ...current.spec.names, shortNames: ['wd'] };
  await definitions.update({ ...current, spec: { ...current.spec, names } });
  await settle(); // the server accepts the new name

  await status.end(migration('Running', 'Succeeded'));

  const message =
    'The migration has succeeded but the stored versions have not been updated due to a generation mismatch';
  expect(await read(client)).toEqual({
    condition: `False MigrationSucceeded: ${message}`,
    storedVersions: ['v1', 'v2'],
  });
});

test('a failed migration keeps the stored versions', async () => {
  const client = await start();
  const status = new DefinitionStatus(client, signal);
  await status.begin(migration());
  await status.end(migration('Running', 'Failed'));
  expect(await read(client)).toEqual({
    condition: 'False MigrationFailed: The migration has failed',
    storedVersions: ['v1', 'v2'],
  });
});

test('a resource without a CRD is ignored', async () => {
  const client = await start();
  const other = { ...migration(), spec: { resource: { group: '', resource: 'configmaps' } } };
  await new DefinitionStatus(client, signal).begin(other);
  expect((await read(client)).condition).toBe('undefined undefined: undefined');
});
