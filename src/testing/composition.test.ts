import { describe, expect, test } from 'vitest';
import { hasReason, keyOf, mergePatch, Pod } from '../client/index.ts';
import type { Authorizer, PathHandler } from '../apiserver/index.ts';
import { controller, type Part } from '../kit/index.ts';
import { startCluster } from './start-cluster.ts';

const web = { metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };

describe('the parts of a cluster can be replaced', () => {
  test('authorizers decide after system:masters and before RBAC', async () => {
    const developers: Authorizer = {
      async authorize({ user, info }) {
        if (!user.groups.includes('developers')) return { verdict: 'noOpinion', reason: '' };
        if (info.verb === 'delete') return { verdict: 'deny', reason: 'developers delete nothing' };
        return { verdict: info.resource === 'pods' ? 'allow' : 'noOpinion', reason: '' };
      },
    };
    await using cluster = await startCluster({ authorizers: [developers] });
    const pods = cluster.as('joe', ['developers']).core.v1.pods.namespace('default');
    await pods.create(web);
    await expect(pods.delete('web')).rejects.toThrow('developers delete nothing');
    const others = cluster.as('jim').core.v1.pods.namespace('default');
    await expect(others.list()).rejects.toSatisfy((error) => hasReason(error, 'Forbidden'));
  });

  test('admission plugins run after the built-in ones', async () => {
    await using cluster = await startCluster({
      admission: {
        plugins: [
          {
            name: 'Team',
            mutate(request) {
              const { object, operation } = request;
              if (operation !== 'CREATE' || object?.kind !== 'Pod') return;
              object.metadata = { ...object.metadata, labels: { ...object.metadata.labels, team: 'a' } };
            },
          },
        ],
      },
    });
    const created = await cluster.client.core.v1.pods.namespace('default').create(web);
    expect(created.metadata.labels).toEqual({ team: 'a' });
    expect(created.spec?.serviceAccountName).toBe('default');
  });

  test('additional paths', async () => {
    const hello: PathHandler = {
      handle: ({ request: { path } }) =>
        path === '/hello' ? { type: 'bytes', code: 200, contentType: 'text/plain', body: 'hello' } : undefined,
    };
    await using cluster = await startCluster({ paths: [hello] });
    expect(await cluster.client.text('/hello')).toBe('hello');
  });

  test('another scheduler and fewer controllers', async () => {
    const first: Part = controller(Pod, {
      name: 'first-node',
      async reconcile(pod, { objects }) {
        if (pod.spec?.nodeName === undefined)
          await objects(Pod).patch(
            keyOf(pod),
            mergePatch({ metadata: { annotations: { seen: 'by another scheduler' } } }),
          );
      },
    });
    await using cluster = await startCluster({
      scheduler: first,
      controllers: (builtIn) => builtIn.filter(({ name }) => name !== 'deployment'),
    });
    await cluster.client.core.v1.pods.namespace('default').create(web);
    await cluster.settle();
    const pod = await cluster.client.core.v1.pods.namespace('default').get('web');
    expect(pod.metadata.annotations?.['seen']).toBe('by another scheduler');
    expect(pod.status?.phase).toBe('Pending');
  });
});
