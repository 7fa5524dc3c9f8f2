import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestPlane } from '../../../src/access/testing/test-plane.ts';
import { inProcessCall } from '../../../src/apiserver/index.ts';
import { bytesOf } from '../../../src/apiserver/testing/memory-server.ts';
import { readVectors } from '../apply/vector.ts';
import type { HookServers } from '../conversion/hook-server.ts';
import { groups, startHooks } from './groups.ts';
import { type Answered, play, prepare, type RecordedScenario, type ScenarioTarget, type Step } from './scenario.ts';

const recorded = readVectors<RecordedScenario>(new URL('recorded.jsonl.gz', import.meta.url));
const certificate = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };

class Target implements ScenarioTarget {
  readonly hooks: HookServers;
  readonly #plane: TestPlane;

  constructor(hooks: HookServers, plane: TestPlane) {
    this.hooks = hooks;
    this.#plane = plane;
  }

  async send({ method, path, body, type = 'application/json', as }: Step): Promise<Answered> {
    const { server } = this.#plane.plane;
    const user: Record<string, string> = as === undefined ? {} : { 'impersonate-user': as };
    const call = inProcessCall({
      method,
      path,
      headers: { 'content-type': type, accept: 'application/json', 'user-agent': 'vectors', ...user },
      body: body === undefined ? '' : JSON.stringify(body),
      certificate,
      clock: this.#plane.clock,
    });
    const answer = server.encode(await server.answer(call), call);
    return {
      code: answer.code,
      body: JSON.parse((await bytesOf(answer)).toString()),
      warnings: call.record.warnings.texts,
    };
  }
}

test('every scenario has been recorded', () => {
  const names = groups.flatMap(({ scenarios }) => scenarios.map(({ name }) => name));
  expect(recorded.map(({ name }) => name)).toEqual(names);
});

describe.each(groups)('plugins answer as those of kube-apiserver: $name', (group) => {
  let hooks: HookServers;
  let plane: TestPlane;

  beforeAll(async () => {
    hooks = await startHooks();
    const configurations = Object.entries(group.configurations?.(hooks) ?? {});
    plane = await TestPlane.start({
      admission: {
        enable: group.plugins,
        configuration: Object.fromEntries(configurations.map(([name, each]) => [name, JSON.stringify(each)])),
      },
    });
    for (const scenario of group.scenarios) await prepare(scenario, new Target(hooks, plane));
  });

  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await hooks[Symbol.asyncDispose]();
  });

  test.each(group.scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
    const played = await play(scenario, new Target(hooks, plane));
    expect(played).toEqual(recorded.find((each) => each.name === name));
  });
});
