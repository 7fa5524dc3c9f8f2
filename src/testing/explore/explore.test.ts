import { ConfigMap, keyOf, Secret } from '../../client/index.ts';
import { admission, app, controller, extensionServer, resource } from '../../kit/index.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { explore, type Scenario } from './index.ts';

const Cache = resource('acme.dev/v1', 'Cache', {
  spec: z.object({ size: z.int() }),
  status: z.object({ ready: z.boolean() }),
});

/** Makes a Secret and a ConfigMap; `trusts`: takes the Secret for a sign that both are there. */
function cachesOf(trusts: boolean) {
  return controller(Cache, {
    owns: [ConfigMap, Secret],
    async reconcile(cache, { desire, objects }) {
      const { name } = cache.metadata;
      if (trusts && objects(Secret).get(keyOf(cache)) !== undefined) return { ready: true };
      await desire(Secret, { metadata: { name } });
      await desire(ConfigMap, { metadata: { name }, data: { size: String(cache.spec.size) } });
      return { ready: true };
    },
  });
}

function operator(trusts: boolean) {
  return app('caches', [cachesOf(trusts)], { resources: [Cache] });
}

const scenario = (trusts: boolean): Scenario => ({
  app: () => operator(trusts),
  cluster: { nodes: 0, scheduler: false },
  steps: {
    create: ({ client }) =>
      client
        .kind(Cache)
        .namespace('default')
        .create({ metadata: { name: 'web' }, spec: { size: 1 } }),
    remove: ({ client }) => client.kind(Cache).namespace('default').delete('web'),
  },
});

describe('explore', () => {
  test('finds nothing wrong with an operator that survives being killed at each write', async () => {
    const report = await explore(scenario(false), { faults: ['crash', 'restart'] });
    expect(report.findings).toEqual([]);
    expect(report.plans).toBe(10); // three writes, before and after; two steps, down and restarted
    expect(report.isDeterministic).toBe(true);
    expect(report.rights).toContainEqual({ group: '', resource: 'secrets', verbs: ['get', 'list', 'patch', 'watch'] });
  });

  test('shrinks what it finds, tells what happened, and repeats it', async () => {
    const { findings, junit } = await explore(scenario(true), { faults: ['crash'], maxFindings: 1 });
    const [found] = findings;
    expect(found).toMatchObject({
      oracle: 'missing',
      message: 'after step "create", ConfigMap default/web does not exist',
      faults: ['the process is killed after "patch secrets default/web" took effect, before the answer'],
    });
    expect(JSON.parse(found?.plan ?? '')).toMatchObject({ steps: ['create'] });
    expect(found?.story).toContain('✗ patch secrets default/web → 201 (kill)');
    expect(found?.trace).toContain('create caches default/web');
    expect(junit).toContain('<failure message="after step &quot;create&quot;, ConfigMap default/web does not exist">');

    for (let time = 0; time < 3; time++) {
      const again = await explore(scenario(true), { plan: found?.plan ?? '' });
      expect(again.findings.map(({ story }) => story)).toEqual([found?.story]);
    }
  });

  test('finds nothing wrong with webhooks that are registered at each start, nor with steps that wait', async () => {
    const named = admission(Cache, {
      name: 'names.caches.acme.dev',
      failurePolicy: 'Fail',
      validate: ({ metadata }) => (metadata.name === 'bad' ? 'the name is bad' : undefined),
    });
    const webhooks: Scenario = {
      ...scenario(false),
      app: () =>
        app('caches', [cachesOf(false)], { resources: [Cache], server: extensionServer({ admission: [named] }) }),
      steps: {
        create: async ({ client, clock }) => {
          await client
            .kind(Cache)
            .namespace('default')
            .create({ metadata: { name: 'web' }, spec: { size: 1 } });
          await clock.advance('10s');
        },
        remove: async ({ client, clock }) => {
          await client.kind(Cache).namespace('default').delete('web');
          await clock.advance('1m');
        },
      },
    };
    const { findings, text } = await explore(webhooks, { faults: ['restart', 'users'] });
    expect(findings, text).toEqual([]);
  });

  test('refuses a scenario without steps, and what is not a plan', async () => {
    await expect(explore({ ...scenario(false), steps: {} })).rejects.toThrow('the scenario has no steps');
    await expect(explore(scenario(false), { plan: 'crash' })).rejects.toThrow(
      'Cannot read plan "crash": it is not JSON',
    );
    await expect(explore(scenario(false), { plan: '{}' })).rejects.toThrow('it is not a plan as a report shows it');
  });

  test.each([
    [false, ['after step "create", ConfigMap default/web-settings exists, and does not without faults']],
    [true, []],
  ])('upgrades it while its objects exist (it cleans up: %j)', async (cleansUp, messages) => {
    const version = (child: string, former?: string) => {
      const caches = controller(Cache, {
        owns: [ConfigMap],
        async reconcile(cache, { desire, objects, client }) {
          const { name, namespace = 'default' } = cache.metadata;
          await desire(ConfigMap, { metadata: { name: `${name}${child}` } });
          if (former !== undefined && objects(ConfigMap).get(`${keyOf(cache)}${former}`) !== undefined)
            await client.kind(ConfigMap).namespace(namespace).delete(`${name}${former}`);
          return { ready: true };
        },
      });
      return app('caches', [caches], { resources: [Cache] });
    };
    const upgraded: Scenario = {
      ...scenario(false),
      app: () => (cleansUp ? version('-config', '-settings') : version('-config')),
      formerApp: () => version('-settings'),
    };
    const { findings, plans, unsetFields } = await explore(upgraded, { faults: ['upgrade'] });
    expect(findings.map(({ message }) => message)).toEqual(messages);
    expect(findings.flatMap(({ faults }) => faults)).toEqual(
      messages.map(() => 'the version before works until the end of step "create", and is then replaced'),
    );
    expect(plans).toBe(1);
    expect(unsetFields).toEqual([]);
  });
});
