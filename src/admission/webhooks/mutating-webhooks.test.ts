import { expect, test } from 'vitest';
import { HookPlane, patching } from '../testing/hook-plane.ts';

const label = (name: string, value: string) => patching({ op: 'add', path: `/metadata/labels/${name}`, value });

test('webhooks change objects in the order of the names of their configurations', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('mutating', 'second', { answer: () => label('second', 'yes') });
  await hooks.configure('mutating', 'first', { answer: () => label('first', 'yes') });
  const { code, body, annotations } = await hooks.createConfigMap('web', { own: 'yes' });
  expect(code).toBe(201);
  expect(body['metadata']).toMatchObject({ labels: { own: 'yes', first: 'yes', second: 'yes' } });
  expect(hooks.asked).toEqual(['first', 'second']);
  expect(hooks.reviews[1]?.review.request.object?.metadata.labels).toEqual({ own: 'yes', first: 'yes' });
  expect(annotations).toEqual({
    'mutation.webhook.admission.k8s.io/round_0_index_0':
      '{"configuration":"first","webhook":"first.acme.dev","mutated":true}',
    'mutation.webhook.admission.k8s.io/round_0_index_1':
      '{"configuration":"second","webhook":"second.acme.dev","mutated":true}',
    'patch.webhook.admission.k8s.io/round_0_index_0':
      '{"configuration":"first","webhook":"first.acme.dev","patch":[{"op":"add","path":"/metadata/labels/first","value":"yes"}],"patchType":"JSONPatch"}',
    'patch.webhook.admission.k8s.io/round_0_index_1':
      '{"configuration":"second","webhook":"second.acme.dev","patch":[{"op":"add","path":"/metadata/labels/second","value":"yes"}],"patchType":"JSONPatch"}',
  });
});

test('the review contains everything about the request, in the order of its type', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('mutating', 'hook');
  await hooks.createConfigMap('web', {}, '?fieldManager=me&dryRun=All');
  const { uid, object, ...request } = hooks.reviews[0]?.review.request ?? {};
  expect(uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(object).toMatchObject({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'web', namespace: 'default' },
  });
  const { kind, apiVersion } = hooks.reviews[0]?.review ?? {};
  expect({ kind, apiVersion }).toEqual({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' });
  expect(JSON.stringify(request)).toBe(
    JSON.stringify({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'web',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      oldObject: null,
      dryRun: true,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'], fieldManager: 'me' },
    }),
  );
});

test('a reinvocable webhook is called again after later changes, once; others are not', async () => {
  const hooks = await HookPlane.start();
  let count = 0;
  const answer = () => label(`n${(count += 1)}`, 'yes');
  await hooks.configure('mutating', 'a', { answer, reinvocationPolicy: 'IfNeeded' });
  await hooks.configure('mutating', 'b', { answer });
  await hooks.configure('mutating', 'c', { answer, reinvocationPolicy: 'IfNeeded' });
  const { code, body } = await hooks.createConfigMap('web', { own: 'yes' });
  expect(code).toBe(201);
  expect(hooks.asked).toEqual(['a', 'b', 'c', 'a', 'c']);
  expect(body['metadata']).toMatchObject({ labels: { n1: 'yes', n2: 'yes', n3: 'yes', n4: 'yes', n5: 'yes' } });
});

test('a reinvocable webhook is not called again when nothing has changed since', async () => {
  const hooks = await HookPlane.start();
  await hooks.configure('mutating', 'a', { answer: () => label('a', 'yes'), reinvocationPolicy: 'IfNeeded' });
  await hooks.configure('mutating', 'b', { answer: () => label('a', 'yes') });
  expect((await hooks.createConfigMap('web', { own: 'yes' })).code).toBe(201);
  expect(hooks.asked).toEqual(['a', 'b']);
});

test('a webhook sees the version that its rules name, and its changes reach the requested one', async () => {
  const hooks = await HookPlane.start();
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['v2'], resources: ['horizontalpodautoscalers'] }];
  const change = { op: 'replace', path: '/spec/metrics/0/resource/target/averageUtilization', value: 70 };
  await hooks.configure('mutating', 'hook', { rules, answer: () => patching(change) });
  const { code, body } = await hooks.plane.admin(
    'POST',
    '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    {
      metadata: { name: 'web' },
      spec: {
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      },
    },
  );
  expect(code).toBe(201);
  expect(body['spec']).toMatchObject({ metrics: [{ resource: { target: { averageUtilization: 70 } } }] }); // in the stored version
  expect(hooks.reviews[0]?.review.request).toMatchObject({
    kind: { version: 'v2' },
    resource: { version: 'v2' },
    requestKind: { version: 'v1' },
    requestResource: { version: 'v1' },
    object: { apiVersion: 'autoscaling/v2' },
  });
});

test('changed objects are defaulted, and lose unknown fields', async () => {
  const hooks = await HookPlane.start();
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }];
  const container = { name: 'side', image: 'side', unknown: true, ports: [{ containerPort: 1 }] };
  const answer = () => patching({ op: 'add', path: '/spec/containers/-', value: container });
  await hooks.configure('mutating', 'hook', { rules, answer });
  const { body } = await hooks.plane.admin('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'main', image: 'web' }] },
  });
  const { containers } = body['spec'] as { readonly containers: readonly object[] };
  expect(containers[1]).toMatchObject({ imagePullPolicy: 'Always', ports: [{ containerPort: 1, protocol: 'TCP' }] });
  expect(containers[1]).not.toHaveProperty('unknown');
});

test('objects that configure admission are sent to no webhook', async () => {
  const hooks = await HookPlane.start();
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
  const answer = () => ({ allowed: false });
  await hooks.configure('mutating', 'hook', { rules, answer });
  await hooks.configure('validating', 'hook', { rules, answer });
  expect((await hooks.createConfigMap('web')).code).toBe(400);
  expect((await hooks.configure('validating', 'other', { rules })).code).toBe(201);
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/hook';
  expect((await hooks.plane.admin('DELETE', path)).code).toBe(200);
  expect(hooks.asked).toEqual(['hook']);
});
