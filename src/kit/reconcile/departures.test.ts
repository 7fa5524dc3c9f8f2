import { describe, expect, test } from 'vitest';
import { type Client, ConfigMap, Deployment, hasReason, mergePatch, Secret } from '../../client/index.ts';
import { controller, type Part } from '../index.ts';
import { runApp } from '../testing/running-app.ts';

const maps = (client: Client) => client.core.v1.configmaps.namespace('default');
const secrets = (client: Client) => client.core.v1.secrets.namespace('default');
const labelled = (name: string, labels: Record<string, string>) => ({ metadata: { name, labels } });

async function secretNames(client: Client): Promise<readonly string[]> {
  return (await secrets(client).list()).items.map(({ metadata }) => metadata.name);
}

function keeper(log: string[], name = 'keeper', where: string | undefined = 'kept'): Part {
  return controller(ConfigMap, {
    name,
    owns: [Secret],
    ...(where === undefined
      ? { when: ({ metadata }) => metadata.labels?.['kept'] !== undefined }
      : { where: { labelSelector: where } }),
    async reconcile({ metadata }, { desire }) {
      log.push(`reconcile ${metadata.name}`);
      await desire(Secret, { metadata: { name: `${metadata.name}-${name}` } });
    },
    finalize: ({ metadata }) => void log.push(`finalize ${metadata.name}`),
    gone: (key) => void log.push(`gone ${key}`),
  });
}

describe('an object that leaves the scope of a controller', () => {
  test.each(['kept', undefined])('is finalized, loses its children, and can be deleted (where: %s)', async (where) => {
    const log: string[] = [];
    await using running = await runApp([keeper(log, 'keeper', where)]);
    const { client } = running;
    await maps(client).create(labelled('m', { kept: '' }));
    await running.settle();
    expect(await secretNames(client)).toEqual(['m-keeper']);

    await maps(client).patch('m', mergePatch({ metadata: { labels: { kept: null } } }));
    await running.settle();
    expect(log.slice(0, 2)).toEqual(['reconcile m', 'finalize m']);
    expect(log.filter((line) => line.startsWith('reconcile'))).toHaveLength(1);
    expect((await maps(client).get('m')).metadata.finalizers).toBeUndefined();
    expect(await secretNames(client)).toEqual([]);

    await maps(client).patch('m', mergePatch({ metadata: { labels: { kept: 'again' } } }));
    await running.settle();
    expect(await secretNames(client)).toEqual(['m-keeper']);
    expect((await maps(client).get('m')).metadata.finalizers).toEqual(['keeper/keeper']);

    await maps(client).delete('m');
    await running.settle();
    await expect(maps(client).get('m')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
  });

  test('is found at the start, with its children', async () => {
    const log: string[] = [];
    const own = { apiVersion: 'v1', kind: 'ConfigMap', controller: true };
    const leave = async (client: Client): Promise<void> => {
      const metadata = { name: 'left', finalizers: ['keeper/keeper'] };
      const { uid } = (await maps(client).create({ metadata })).metadata;
      const ownerReferences = [{ ...own, name: 'left', uid }];
      await secrets(client).apply({ metadata: { name: 's', ownerReferences } }, { fieldManager: 'keeper' });
      await secrets(client).apply({ metadata: { name: 't', ownerReferences } }, { fieldManager: 'another' });
      await maps(client).create({ metadata: { name: 'other', finalizers: ['example.com/other'] } });
    };
    await using running = await runApp([keeper(log)], leave);
    const { client } = running;
    expect([...new Set(log)]).toEqual(['finalize left', 'gone default/left']);
    expect((await maps(client).get('left')).metadata.finalizers).toBeUndefined();
    expect((await maps(client).get('other')).metadata.finalizers).toEqual(['example.com/other']);
    expect(await secretNames(client)).toEqual(['t']);
  });

  test('is left alone if another controller handles it now', async () => {
    const log: string[] = [];
    const parts = ['blue', 'green'].map((name) => keeper(log, name, `by=${name}`));
    await using running = await runApp(parts);
    const { client } = running;
    await maps(client).create(labelled('m', { by: 'blue' }));
    await running.settle();
    await maps(client).patch('m', mergePatch({ metadata: { labels: { by: 'green' } } }));
    await running.settle();
    expect(await secretNames(client)).toEqual(['m-green']);
    expect((await maps(client).get('m')).metadata.finalizers).toEqual(['green/green']);
  });

  test('is deleted although a filter considers its changes irrelevant', async () => {
    const log: string[] = [];
    const part = controller(ConfigMap, {
      name: 'new-only',
      when: (_, old) => old === undefined,
      reconcile: () => undefined,
      finalize: () => void log.push('finalize'),
    });
    await using running = await runApp([part]);
    await maps(running.client).create({ metadata: { name: 'm' } });
    await running.settle();
    await maps(running.client).patch('m', mergePatch({ data: { a: 'b' } }));
    await running.settle();
    expect(log).toEqual([]);
    await maps(running.client).delete('m');
    await running.settle();
    expect(log).toEqual(['finalize']);
    await expect(maps(running.client).get('m')).rejects.toSatisfy((error) => hasReason(error, 'NotFound'));
  });

  test('stays when cleaning up fails, and cleaning up is retried', async () => {
    let attempts = 0;
    const part = controller(ConfigMap, {
      name: 'slow',
      where: { labelSelector: 'kept' },
      reconcile: () => undefined,
      finalize: () => {
        if (++attempts < 3) throw new Error('cannot clean up yet');
      },
    });
    await using running = await runApp([part]);
    await maps(running.client).create(labelled('m', { kept: '' }));
    await running.settle();
    await maps(running.client).patch('m', mergePatch({ metadata: { labels: { kept: null } } }));
    await running.settle();
    expect((await maps(running.client).get('m')).metadata.finalizers).toEqual(['slow/slow']);
    await running.clock.advance('1s');
    expect(attempts).toBe(3);
    expect((await maps(running.client).get('m')).metadata.finalizers).toBeUndefined();
  });

  test('does not leave because of the status that the controller reports', async () => {
    const log: string[] = [];
    const part = controller(Deployment, {
      when: ({ status, metadata }) => status?.observedGeneration !== metadata.generation,
      reconcile: ({ metadata }) => ({ observedGeneration: metadata.generation ?? 0 }),
      finalize: () => void log.push('finalize'),
    });
    await using running = await runApp([part]);
    const deployments = running.client.apps.v1.deployments.namespace('default');
    const labels = { app: 'd' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await deployments.create({ metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } });
    await running.settle();
    await deployments.patch('d', mergePatch({ metadata: { labels: { a: 'b' } } }));
    await running.settle();
    expect((await deployments.get('d')).metadata.finalizers).toEqual(['apps/deployments']);
    expect(log).toEqual([]);
  });
});
