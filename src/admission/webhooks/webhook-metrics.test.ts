import { expect, test } from 'vitest';
import { inProcessCall } from '../../apiserver/index.ts';
import { bytesOf } from '../../apiserver/testing/memory-server.ts';
import { HookPlane } from '../testing/hook-plane.ts';

test('calls are counted under the names of kube-apiserver', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('validating', 'hook', { answer: () => ({ allowed: false, status: { code: 999 } }) });
  await hooks.createConfigMap('web');
  const { server } = hooks.plane.plane;
  const certificate = { commonName: 'admin', organizations: ['system:masters'] };
  const call = inProcessCall({
    method: 'GET',
    path: '/metrics',
    headers: {},
    body: '',
    certificate,
    clock: hooks.plane.clock,
  });
  const text = (await bytesOf(server.encode(await server.answer(call), call))).toString();
  const lines = text.split('\n').filter((line) => /^apiserver_admission_webhook_\w+(_count|_total)\{/.test(line));
  expect(lines.map((line) => line.replace('apiserver_admission_webhook_', ''))).toEqual([
    'admission_duration_seconds_count{name="hook.acme.dev",operation="CREATE",rejected="true",type="validating"} 1',
    'rejection_count{error_type="no_error",name="hook.acme.dev",operation="CREATE",rejection_code="600",type="validating"} 1',
    'request_total{code="600",name="hook.acme.dev",operation="CREATE",rejected="true",type="validating"} 1',
  ]);
});

test('requests that match conditions exclude from a webhook are counted', async () => {
  const hooks = await HookPlane.start();
  const matchConditions = [{ name: 'not', expression: "object.metadata.name == 'other'" }];
  await hooks.configure('mutating', 'hook', { matchConditions });
  await hooks.createConfigMap('web');
  await hooks.createConfigMap('other');
  const { server } = hooks.plane.plane;
  const certificate = { commonName: 'admin', organizations: ['system:masters'] };
  const call = inProcessCall({ method: 'GET', path: '/metrics', certificate, clock: hooks.plane.clock });
  const text = (await bytesOf(server.encode(await server.answer(call), call))).toString();
  const lines = text
    .split('\n')
    .filter((line) => /^apiserver_admission_match_condition_\w+(_count|_total)\{/.test(line));
  const labels = '{kind="webhook",name="hook.acme.dev",operation="CREATE",type="admit"}';
  expect(lines.map((line) => line.replace('apiserver_admission_match_condition_', ''))).toEqual([
    `evaluation_seconds_count${labels} 2`,
    `exclusions_total${labels} 1`,
  ]);
});
