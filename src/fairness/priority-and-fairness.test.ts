import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestPlane } from '../access/testing/test-plane.ts';
import { inProcessCall } from '../apiserver/index.ts';
import { settle } from '../base/index.ts';
import { type Client, mergePatch } from '../client/index.ts';

const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';

describe('a server with priority and fairness', () => {
  let plane: TestPlane;
  let client: Client;
  beforeEach(async () => {
    plane = await TestPlane.start();
    client = plane.plane.client({ user: 'admin', groups: ['system:masters'] });
    await settle();
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  test('has the schemas and levels of 1.36, and each schema has found its level', async () => {
    const { flowschemas, prioritylevelconfigurations } = client.flowcontrol.v1;
    const schemas = (await flowschemas.list()).items;
    expect(schemas).toHaveLength(11);
    expect((await prioritylevelconfigurations.list()).items).toHaveLength(8);
    expect(schemas.map(({ status }) => status?.conditions?.[0]?.status)).toEqual(schemas.map(() => 'False'));
  });

  test('recreates deleted objects, corrects its own, and leaves alone those that a user has taken over', async () => {
    const { flowschemas, prioritylevelconfigurations: levels } = client.flowcontrol.v1;
    await flowschemas.delete('probes');
    await levels.patch('system', mergePatch({ spec: { limited: { nominalConcurrencyShares: 1 } } }));
    const taken = { metadata: { annotations: { [AUTO_UPDATE]: 'false' } } };
    await levels.patch('workload-low', mergePatch({ ...taken, spec: { limited: { nominalConcurrencyShares: 2 } } }));
    await flowschemas.patch('exempt', mergePatch({ metadata: { annotations: { [AUTO_UPDATE]: 'no' } } }));
    const old = { metadata: { name: 'old', annotations: { [AUTO_UPDATE]: 'true' } } };
    await flowschemas.create({ ...old, spec: { priorityLevelConfiguration: { name: 'system' }, rules: [] } });
    await plane.clock.advance('61s');
    await settle();
    expect((await flowschemas.get('probes')).spec?.matchingPrecedence).toBe(2);
    expect((await levels.get('system')).spec?.limited?.nominalConcurrencyShares).toBe(30);
    expect((await levels.get('workload-low')).spec?.limited?.nominalConcurrencyShares).toBe(2);
    expect((await flowschemas.get('exempt')).metadata.annotations).toEqual({ [AUTO_UPDATE]: 'true' });
    await expect(flowschemas.get('old')).rejects.toThrow(/not found/);
  });

  test('uses a schema as soon as its level exists, and reports dangling schemas', async () => {
    const { flowschemas, prioritylevelconfigurations: levels } = client.flowcontrol.v1;
    const rules = [
      {
        subjects: [{ kind: 'User', user: { name: 'alice' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      },
    ];
    await flowschemas.create({
      metadata: { name: 'alices' },
      spec: { priorityLevelConfiguration: { name: 'slow' }, matchingPrecedence: 50, rules },
    });
    await settle();
    const condition = async (): Promise<unknown> => (await flowschemas.get('alices')).status?.conditions;
    expect(await condition()).toMatchObject([{ type: 'Dangling', status: 'True', reason: 'NotFound' }]);
    const spec = {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
    };
    await levels.create({ metadata: { name: 'slow' }, spec });
    await settle();
    expect(await condition()).toMatchObject([{ type: 'Dangling', status: 'False', reason: 'Found' }]);
    const askTwice = async (): Promise<number[]> => {
      const request = { method: 'GET', path: '/api/v1/nodes', clock: plane.clock };
      const certificate = { commonName: 'alice', organizations: [] };
      const calls = [inProcessCall({ ...request, certificate }), inProcessCall({ ...request, certificate })];
      const answers = await Promise.all(calls.map(async (call) => plane.plane.server.handle(call)));
      for (const call of calls) call.finish({ code: 200, bytes: 0, outcome: 'complete' });
      return answers.map(({ code }) => code);
    };
    expect(await askTwice()).toEqual([403, 429]); // one runs, however few seats there are
    await flowschemas.delete('alices');
    await settle();
    expect(await askTwice()).toEqual([403, 403]);
  });

  test('shows its levels and requests to authorized users', async () => {
    const text = await client.text('/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1');
    const [heads = '', ...rows] = text.trimEnd().split('\n');
    expect(heads.split(/,\s*/).slice(-4)).toEqual(['Name', 'APIVersion', 'Resource', 'SubResource']);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(/^exempt, +exempt, +-1, +-1, +, .* admin, +get, +\/debug/);
    const levels = await client.text('/debug/api_priority_and_fairness/dump_priority_levels');
    expect(levels.split('\n')[1]).toMatch(/^catch-all, +0, +true, +false, +0, +0, +0, +0, +0, +0$/);
    const queues = await client.text('/debug/api_priority_and_fairness/dump_queues');
    expect(queues.trimEnd().split('\n')).toHaveLength(1 + 64 + 64 + 16 + 128 + 128 + 128);
    expect((await plane.send('GET', '/debug/api_priority_and_fairness/dump_queues')).code).toBe(403);
  });
});

test('a server without it only counts, and makes none of its objects', async () => {
  await using plain = await TestPlane.start({ serving: { priorityAndFairness: false } });
  await using client = plain.plane.client({ user: 'admin', groups: ['system:masters'] });
  expect((await client.flowcontrol.v1.flowschemas.list()).items).toEqual([]);
  expect(await client.text('/metrics')).not.toContain('apiserver_flowcontrol_');
  await expect(client.text('/debug/api_priority_and_fairness/dump_queues')).rejects.toThrow();
});
