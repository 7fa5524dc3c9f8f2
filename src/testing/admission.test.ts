import { createServer } from 'node:http2';
import { afterEach, expect, test, vi } from 'vitest';
import { ConfigMap, mergePatch } from '../client/index.ts';
import { admission, app, extensionServer } from '../kit/index.ts';
import { startCluster } from './start-cluster.ts';

const WITHOUT_PROGRAMS = { controllers: false, nodes: 0, scheduler: false } as const;
const NAME = 'sizes.maps.acme.dev';

const sizes = () =>
  admission(ConfigMap, {
    name: NAME,
    failurePolicy: 'Fail',
    mutate: (map, { options, user }) => ({
      ...map,
      data: { ...map.data, by: `${user.name} ${String(options['fieldManager'])}` },
    }),
    rules: [{ expression: "object.data['size'] != 'huge'", message: 'huge is too large', reason: 'Forbidden' }],
  });

afterEach(() => vi.restoreAllMocks());

test('in a test, webhooks are called without a socket', async () => {
  const listen = vi.spyOn(Object.getPrototypeOf(createServer()) as { listen: () => void }, 'listen');
  await using cluster = await startCluster(WITHOUT_PROGRAMS);
  await cluster.run(app('sizes', [], { server: extensionServer({ admission: [sizes()] }) }));
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  const { data } = await maps.create({ metadata: { name: 'a' }, data: { size: '1' } }, { fieldManager: 'me' });
  expect(data).toEqual({ size: '1', by: 'kubernetes-admin me' });
  expect(listen).not.toHaveBeenCalled();
});

test('rules in CEL become a policy, which holds when the app is down', async () => {
  await using cluster = await startCluster(WITHOUT_PROGRAMS);
  const rules = admission(ConfigMap, {
    name: NAME,
    failurePolicy: 'Fail',
    rules: [{ expression: "object.data['size'] != 'huge'", message: 'huge is too large' }],
  });
  await cluster.run(app('sizes', [], { server: extensionServer({ admission: [rules] }) }));
  const { configmaps } = cluster.client.core.v1;
  const huge = { metadata: { name: 'a' }, data: { size: 'huge' } };
  await expect(configmaps.namespace('default').create(huge)).rejects.toMatchObject({
    code: 422,
    message:
      `configmaps "a" is forbidden: ValidatingAdmissionPolicy '${NAME}' with binding '${NAME}' denied request: ` +
      'huge is too large',
  });
  await configmaps.namespace('kube-system').create(huge);
});

test('a configuration that a user changes or deletes is restored', async () => {
  await using cluster = await startCluster(WITHOUT_PROGRAMS);
  await cluster.run(app('sizes', [], { server: extensionServer({ admission: [sizes()] }) }));
  const { mutatingwebhookconfigurations: webhookConfigurations, validatingadmissionpolicybindings: bindings } =
    cluster.client.admissionregistration.v1;
  const written = await webhookConfigurations.get(NAME);
  await webhookConfigurations.patch(
    NAME,
    mergePatch({ webhooks: [{ ...written.webhooks?.[0], failurePolicy: 'Ignore' }] }),
  );
  await bindings.delete(NAME);
  await cluster.clock.advance('2s');
  await cluster.settle();
  expect((await webhookConfigurations.get(NAME)).webhooks).toEqual(written.webhooks);
  expect((await bindings.get(NAME)).spec?.policyName).toBe(NAME);
});

test('only what others have changed is written again, and once', async () => {
  await using cluster = await startCluster(WITHOUT_PROGRAMS);
  await cluster.run(app('sizes', [], { server: extensionServer({ admission: [sizes()] }) }));
  const { mutatingwebhookconfigurations: configurations } = cluster.client.admissionregistration.v1;
  const { webhooks = [] } = await configurations.get(NAME);
  await configurations.patch(NAME, mergePatch({ webhooks: [{ ...webhooks?.[0], failurePolicy: 'Ignore' }] }));
  await cluster.clock.advance('1m');
  await cluster.settle();
  const own = cluster.requests().filter(({ method, userAgent }) => method === 'PATCH' && userAgent === 'sizes');
  expect(own.map(({ path }) => path.split('?')[0]?.split('/').at(-2))).toEqual([
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingwebhookconfigurations',
  ]);
});

test('the namespace of the webhooks is always exempt', async () => {
  await using cluster = await startCluster(WITHOUT_PROGRAMS);
  const service = { namespace: 'webhooks', name: 'sizes' };
  const checked = admission(ConfigMap, {
    name: NAME,
    failurePolicy: 'Fail',
    exemptNamespaces: [],
    validate: () => 'nothing gets in',
  });
  await cluster.run(app('sizes', [], { server: extensionServer({ admission: [checked], service }) }));
  const [webhook] =
    (await cluster.client.admissionregistration.v1.validatingwebhookconfigurations.get(NAME)).webhooks ?? [];
  expect(webhook?.namespaceSelector?.matchExpressions).toEqual([
    { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['webhooks'] },
  ]);
});
