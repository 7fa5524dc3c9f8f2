// Random graphs of owners with random deletions: the result must match a simple model.
import { expect, test } from 'vitest';
import type { ConfigMap } from '../../api/types/core/v1.d.ts';
import { SeededRandom } from '../../base/index.ts';
import type { DeleteOptions, ResourceClient, Stored } from '../../client/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { garbageCollector } from './garbage-collector.ts';

type Policy = NonNullable<DeleteOptions['propagationPolicy']>;

/** The objects and their owners. */
class Model {
  readonly owners = new Map<string, Set<string>>();

  create(name: string, owners: readonly string[]): void {
    this.owners.set(name, new Set(owners));
  }

  /** Orphans stay when they lose their last owner, others are deleted. */
  delete(name: string, policy: Policy): void {
    this.owners.delete(name);
    for (const [dependent, owners] of this.owners) {
      if (owners.delete(name) && owners.size === 0 && policy !== 'Orphan') this.delete(dependent, 'Background');
    }
  }

  get names(): string[] {
    return [...this.owners.keys()].sort();
  }
}

async function fill(configMaps: ResourceClient<ConfigMap>, model: Model, random: SeededRandom): Promise<void> {
  const made: Stored<ConfigMap>[] = [];
  for (let index = 0; index < 40; index++) {
    const owners = made.filter(() => random.float() < 1.5 / (made.length + 1));
    const ownerReferences = owners.map(({ kind, apiVersion, metadata }) => ({
      kind,
      apiVersion,
      name: metadata.name,
      uid: metadata.uid,
      blockOwnerDeletion: random.float() < 0.5,
    }));
    const name = `o-${index}`;
    made.push(await configMaps.create({ metadata: { name, ownerReferences } }));
    model.create(
      name,
      owners.map(({ metadata }) => metadata.name),
    );
  }
}

function pick<T>(items: readonly T[], random: SeededRandom): T | undefined {
  return items[random.int(items.length)];
}

async function names(configMaps: ResourceClient<ConfigMap>): Promise<string[]> {
  return (await configMaps.list()).items.map(({ metadata }) => metadata.name).sort();
}

test.each(['a', 'b', 'c'])('objects are deleted with their last owner (seed %s)', async (seed) => {
  await using cluster = await startWith(garbageCollector());
  const random = new SeededRandom(seed);
  const configMaps = cluster.client.core.v1.configmaps.namespace('default');
  const model = new Model();
  await fill(configMaps, model, random);

  for (let count = 0; count < 15 && model.names.length > 0; count++) {
    const name = pick(model.names, random) ?? '';
    const policy = pick<Policy>(['Background', 'Foreground', 'Orphan'], random) ?? 'Background';
    model.delete(name, policy);
    await configMaps.delete(name, { propagationPolicy: policy });
    await cluster.settle();
    expect(await names(configMaps), `after ${name} was deleted with ${policy}`).toEqual(model.names);
  }
});

test('concurrent deletions give the same result as sequential ones', async () => {
  await using cluster = await startWith(garbageCollector());
  const random = new SeededRandom('together');
  const configMaps = cluster.client.core.v1.configmaps.namespace('default');
  const model = new Model();
  await fill(configMaps, model, random);
  const victims = model.names.filter(() => random.float() < 0.3);

  await Promise.all(victims.map((name) => configMaps.delete(name, { propagationPolicy: 'Foreground' })));
  for (const name of victims) if (model.owners.has(name)) model.delete(name, 'Background');
  await cluster.settle();

  expect(await names(configMaps)).toEqual(model.names);
});
