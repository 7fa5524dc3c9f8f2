import { expect, test } from 'vitest';
import { Pod } from '../client/index.ts';
import { admission, app, extensionServer } from '../kit/index.ts';
import type { TracedRequest, TracedStep } from './index.ts';
import { startCluster } from './start-cluster.ts';

const WITHOUT_PROGRAMS = { controllers: false, nodes: 0, scheduler: false } as const;

/** The step at a path of names. */
function stepOf(request: TracedRequest | undefined, ...names: readonly string[]): TracedStep | undefined {
  let steps = request?.steps ?? [];
  let found: TracedStep | undefined;
  for (const name of names) {
    found = steps.find((step) => step.name === name);
    steps = found?.steps ?? [];
  }
  return found;
}

test('requests() shows the user, the authorizer and the effect of each plugin and webhook', async () => {
  const labels = admission(Pod, {
    name: 'labels.pods.acme.dev',
    failurePolicy: 'Fail',
    mutate: (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { team: 'a' } } }),
    validate: (pod) => (pod.metadata.name === 'bad' ? 'no bad pods' : undefined),
  });
  await using cluster = await startCluster(WITHOUT_PROGRAMS);
  await cluster.run(app('labels', [], { server: extensionServer({ admission: [labels] }) }));
  const pods = cluster.client.core.v1.pods.namespace('default');
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  await pods.create({ metadata: { name: 'web' }, spec });
  await expect(pods.create({ metadata: { name: 'bad' }, spec })).rejects.toThrow('no bad pods');

  const [web, bad] = cluster.requests().filter(({ path }) => path.startsWith('/api/v1/namespaces/default/pods'));
  expect(web).toMatchObject({ method: 'POST', code: 201, user: 'kubernetes-admin', userAgent: 'keelson-testing' });
  expect(web?.steps.map(({ name }) => name)).toEqual([
    'authentication',
    'limits',
    'authorization',
    'mutating admission',
    'mutating admission, second pass',
    'validation',
    'validating admission',
    'store',
  ]);
  expect(stepOf(web, 'authentication')).toMatchObject({ by: 'client certificate', reason: 'kubernetes-admin' });
  expect(stepOf(web, 'authorization', 'system:masters')).toMatchObject({ decision: 'allowed' });
  expect(stepOf(web, 'mutating admission', 'DefaultTolerationSeconds')).toMatchObject({
    decision: 'changed',
    patch: [{ op: 'add', path: '/spec/tolerations' }],
  });
  const webhook = ['MutatingAdmissionWebhook', 'labels.pods.acme.dev'] as const;
  expect(stepOf(web, 'mutating admission', ...webhook)).toMatchObject({
    decision: 'changed',
    patch: [{ op: 'add', path: '/metadata/labels', value: { team: 'a' } }],
  });
  expect(bad).toMatchObject({ code: 403, reason: 'Forbidden' });
  expect(bad?.message).toContain('no bad pods');
  expect(bad?.steps.map(({ name }) => name)).not.toContain('store');
  expect(stepOf(bad, 'validating admission', 'ValidatingAdmissionWebhook', 'labels.pods.acme.dev')).toMatchObject({
    decision: 'refused',
  });
});

test('requests() shows refusals of the authorizers, and no reads', async () => {
  await using cluster = await startCluster(WITHOUT_PROGRAMS);
  await cluster.client.core.v1.pods.namespace('default').list();
  await expect(cluster.as('joe').core.v1.pods.namespace('default').list()).rejects.toThrow('forbidden');

  const lists = cluster.requests().filter(({ path }) => path.startsWith('/api/v1/namespaces/default/pods'));
  expect(lists).toMatchObject([{ user: 'joe', code: 403 }]);
  expect(stepOf(lists[0], 'authorization')).toMatchObject({ decision: 'refused' });
  expect(stepOf(lists[0], 'authorization', 'RBAC')).toMatchObject({ decision: 'no opinion' });
});

test('no contents of Secrets are kept', async () => {
  await using cluster = await startCluster({
    ...WITHOUT_PROGRAMS,
    admission: {
      plugins: [
        {
          name: 'Adding',
          mutate(attributes) {
            const { object } = attributes;
            if (object?.kind === 'Secret')
              attributes.object = { ...object, data: { more: 'aGlkZGVu' } } as typeof object;
          },
          validate({ object }) {
            if (object?.kind === 'Secret') throw new Error(`refused: ${JSON.stringify(object)}`);
          },
        },
      ],
    },
  });
  const secrets = cluster.client.core.v1.secrets.namespace('default');
  await expect(secrets.create({ metadata: { name: 's' }, stringData: { key: 'hidden' } })).rejects.toThrow('refused');

  const [request] = cluster.requests().filter(({ path }) => path.includes('/secrets'));
  expect(stepOf(request, 'mutating admission', 'Adding')).toMatchObject({
    decision: 'changed',
    isConcealed: true,
    patch: [
      { op: 'remove', path: '/data/key' },
      { op: 'add', path: '/data/more' },
    ],
  });
  expect(request).toMatchObject({ code: 500 });
  expect(JSON.stringify(request)).not.toMatch(/hidden|aGlkZGVu/);
});
