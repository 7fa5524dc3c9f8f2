import { expect, test } from 'vitest';
import { HookPlane } from '../testing/hook-plane.ts';

test('a refusal has the code, the reason and the message of the webhook', async () => {
  const hooks = await HookPlane.start();
  const status = {
    code: 418,
    reason: 'TooCold',
    message: 'no tea today',
    details: { causes: [{ message: 'kettle' }] },
  };
  await hooks.configure('validating', 'hook', { answer: () => ({ allowed: false, status }) });
  const { code, body } = await hooks.createConfigMap('web');
  expect({ code, body }).toEqual({
    code: 418,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'admission webhook "hook.acme.dev" denied the request: no tea today',
      reason: 'TooCold',
      details: { causes: [{ message: 'kettle' }] },
      code: 418,
    },
  });
  expect(await hooks.hasConfigMap('web')).toBe(false);
});

test.each([
  [{ code: 200, reason: 'Odd' }, 400, 'admission webhook "hook.acme.dev" denied the request: Odd'],
  [undefined, 400, 'admission webhook "hook.acme.dev" denied the request without explanation'],
])('a refusal with %j', async (status, code, message) => {
  const hooks = await HookPlane.start();
  await hooks.configure('validating', 'hook', { answer: () => ({ allowed: false, status }) });
  expect(await hooks.createConfigMap('web')).toMatchObject({ code, body: { message, code } });
});

test('all webhooks are called at the same time', async () => {
  const hooks = await HookPlane.start();
  const waiting: (() => void)[] = [];
  const answer = async () => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 2) for (const each of waiting) each();
    });
    return { allowed: true };
  };
  await hooks.configure('validating', 'a', { answer });
  await hooks.configure('validating', 'b', { answer });
  expect((await hooks.createConfigMap('web')).code).toBe(201);
});

test('warnings reach the client, and annotations the audit event', async () => {
  const hooks = await HookPlane.start();
  const answer = () => ({ allowed: true, warnings: ['careful', 'now'], auditAnnotations: { why: 'because' } });
  await hooks.configure('validating', 'hook', { answer });
  const { warnings, annotations } = await hooks.createConfigMap('web');
  expect(warnings).toEqual(['careful', 'now']);
  expect(annotations).toEqual({ 'hook.acme.dev/why': 'because' });
});

test('webhooks see the finished object, and both objects of an update; those of a delete are old', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('validating', 'hook');
  const path = '/api/v1/namespaces/default/configmaps/web';
  await hooks.createConfigMap('web');
  await hooks.plane.admin('PUT', path, { metadata: { name: 'web' }, data: { a: 'b' } });
  await hooks.plane.admin('DELETE', path);
  const requests = hooks.reviews.map(({ review }) => review.request);
  expect(requests).toMatchObject([
    { operation: 'CREATE', object: { metadata: { uid: expect.any(String) } }, oldObject: null },
    { operation: 'UPDATE', object: { data: { a: 'b' } }, oldObject: { metadata: { name: 'web' } } },
    { operation: 'DELETE', object: null, oldObject: { data: { a: 'b' } }, options: { kind: 'DeleteOptions' } },
  ]);
});

test('subresources of another kind and connections are reviewed as what they are', async () => {
  const hooks = await HookPlane.start();
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/scale', 'pods/*'] }];
  await hooks.configure('validating', 'hook', { rules });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web' }] } };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  await hooks.plane.admin('POST', path, {
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: labels }, template },
  });
  await hooks.plane.admin('PUT', `${path}/web/scale`, { metadata: { name: 'web' }, spec: { replicas: 3 } });
  await hooks.plane.admin('POST', '/api/v1/namespaces/default/pods/web/exec?command=ls&stdout=true');
  expect(hooks.reviews.map(({ review }) => review.request)).toMatchObject([
    { kind: { kind: 'Scale' }, subResource: 'scale', object: { kind: 'Scale', spec: { replicas: 3 } } },
    { kind: { kind: 'PodExecOptions' }, operation: 'CONNECT', object: { command: ['ls'] }, options: null },
  ]);
});

test('conditions exclude requests from a webhook; conditions that fail refuse them, or are ignored', async () => {
  const hooks = await HookPlane.start();
  const matchConditions = [
    { name: 'named', expression: "object.metadata.name != 'exempt'" },
    {
      name: 'allowed',
      expression: "!authorizer.group('').resource('configmaps').check('breakglass').allowed() || true",
    },
    { name: 'labelled', expression: "object.metadata.labels.own == 'yes'" },
  ];
  const answer = () => ({ allowed: false });
  await hooks.configure('validating', 'hook', { matchConditions, answer });
  expect((await hooks.createConfigMap('exempt')).code).toBe(201);
  expect((await hooks.createConfigMap('other', { own: 'no' })).code).toBe(201);
  expect(hooks.asked).toEqual([]);
  expect((await hooks.createConfigMap('web', { own: 'yes' })).code).toBe(400);
  const failing = "expression 'object.metadata.labels.own == 'yes'' resulted in error: no such key: labels";
  expect(await hooks.createConfigMap('web')).toMatchObject({
    code: 403,
    body: { message: `configmaps "web" is forbidden: ${failing}` },
  });
  await hooks.plane.admin('DELETE', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/hook');
  await hooks.configure('validating', 'lax', { matchConditions, answer, failurePolicy: 'Ignore' });
  expect((await hooks.createConfigMap('web')).code).toBe(201);
});

test('a webhook of v1beta1 gets v1beta1 and need not repeat uid and version', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('validating', 'hook', {
    admissionReviewVersions: ['v9', 'v1beta1', 'v1'],
    answer: (_review, response) => void response.end('{"response":{"allowed":true}}'),
  });
  expect((await hooks.createConfigMap('web')).code).toBe(201);
  expect(hooks.reviews[0]?.review.apiVersion).toBe('admission.k8s.io/v1beta1');
});

test('conditions that cannot be compiled are refused when a configuration is written', async () => {
  const hooks = await HookPlane.start();
  const matchConditions = [{ name: 'bad', expression: '... [] bad expression' }];
  const { code, body } = await hooks.configure('validating', 'hook', { matchConditions });
  expect(code).toBe(422);
  expect(body['message']).toContain('webhooks[0].matchConditions[0].expression: Invalid value: ');
  expect(body['message']).toContain('compilation failed');
});
