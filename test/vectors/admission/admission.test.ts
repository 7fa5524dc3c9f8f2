import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestPlane } from '../../../src/access/testing/test-plane.ts';
import { inProcessCall } from '../../../src/apiserver/index.ts';
import { bytesOf } from '../../../src/apiserver/testing/memory-server.ts';
import { readVectors } from '../apply/vector.ts';
import { HookServers } from '../conversion/hook-server.ts';
import {
  type AdmissionScenario,
  collectionOf,
  configurationOf,
  hookScenarios,
  outcomeOf,
  pathOf,
  type RecordedAdmission,
  type Step,
  stepsOf,
} from './scenario.ts';
import { scenarios } from './scenarios.ts';

const recorded = readVectors<RecordedAdmission>(new URL('recorded.jsonl.gz', import.meta.url));
const certificate = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
/** Where we do otherwise, on purpose: redirects are not followed. */
const differences: Readonly<Record<string, string>> = {
  'redirect-307':
    'Internal error occurred: failed calling webhook "hook.acme.dev": failed to call webhook: ' +
    'the server responded with the status code 307 but did not return more information',
};
let hooks: HookServers;
let plane: TestPlane;

beforeAll(async () => {
  hooks = await HookServers.start(hookScenarios(scenarios));
  plane = await TestPlane.start();
  const service = { metadata: { name: 'hook' }, spec: { ports: [{ port: 8443 }] } };
  await plane.admin('POST', '/api/v1/namespaces/default/services', service);
  for (const scenario of scenarios) {
    expect(await plane.admin('POST', collectionOf(scenario), configurationOf(scenario, hooks))).toMatchObject({
      code: 201,
    });
  }
});

afterAll(async () => {
  await plane[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

async function send(step: Step): Promise<Parameters<typeof outcomeOf>[0]> {
  const { method, body, type = 'application/json' } = step;
  const call = inProcessCall({
    method,
    path: pathOf(step),
    headers: { 'content-type': type, accept: 'application/json', 'user-agent': 'vectors' },
    body: body === undefined ? '' : JSON.stringify(body),
    certificate,
    clock: plane.clock,
  });
  const { server } = plane.plane;
  const answer = server.encode(await server.answer(call), call);
  return {
    code: answer.code,
    body: JSON.parse((await bytesOf(answer)).toString()),
    warnings: call.record.warnings.texts,
  };
}

async function play(scenario: AdmissionScenario): Promise<RecordedAdmission> {
  let last: Parameters<typeof outcomeOf>[0] = { code: 0, body: undefined, warnings: [] };
  for (const step of stepsOf(scenario)) {
    const sent = send(step);
    if (scenario.name === 'hang') {
      await hooks.calls('hang', 1);
      await plane.clock.advance('1s');
    }
    last = await sent;
  }
  return outcomeOf(last, scenario, hooks);
}

describe('admission webhooks have the outcome that they have with a real kube-apiserver', () => {
  test('every scenario has been recorded', () => {
    expect(recorded.map(({ name }) => name)).toEqual(scenarios.map(({ name }) => name));
  });

  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
    const played = await play(scenario);
    const other = differences[name];
    if (other === undefined) expect(played).toEqual(recorded.find((each) => each.name === name));
    else expect(played).toMatchObject({ code: 500, body: { message: other } });
  });
});
