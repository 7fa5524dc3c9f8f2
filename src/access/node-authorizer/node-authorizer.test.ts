import { describe, expect, test } from 'vitest';
import { requestInfo } from '../../apiserver/index.ts';
import { settle } from '../../base/index.ts';
import { type AccessServer, startAccessServer } from '../testing/access-server.ts';

const NODE = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };

/** How the node authorizer and RBAC together decide on a request of node n1. */
async function asked(server: AccessServer, request: string, user = NODE): Promise<string> {
  const [method = '', url = ''] = request.split(' ');
  const [path = '', fieldSelector = ''] = url.split('?');
  const info = requestInfo(method, path, { isWatch: false, nameFromField: '', fieldSelector });
  const { verdict, reason } = await server.authorizer.authorize({ user, info, signal: server.signal });
  return [verdict, reason].filter((text) => text !== '').join(': ');
}

async function startWithPod(spec: object, metadata: object = {}): Promise<AccessServer> {
  const server = await startAccessServer();
  const pods = server.admin.core.v1.pods.namespace('default');
  await pods.create({
    metadata: { name: 'p', ...metadata },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...spec },
  });
  await settle();
  return server;
}

const UNRELATED = "noOpinion: no relationship found between node 'n1' and this object";

describe('a node reads', () => {
  test('the secrets and configmaps that its pods refer to, in every way, and no others', async () => {
    const env = [
      { name: 'a', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } },
      { name: 'b', valueFrom: { configMapKeyRef: { name: 'env', key: 'k' } } },
    ];
    const projected = { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] };
    await using server = await startWithPod({
      imagePullSecrets: [{ name: 'pull' }],
      containers: [{ name: 'c', image: 'i', env, envFrom: [{ secretRef: { name: 'from' } }] }],
      initContainers: [{ name: 'i', image: 'i', envFrom: [{ configMapRef: { name: 'from' } }] }],
      volumes: [
        { name: 'a', secret: { secretName: 'volume' } },
        { name: 'b', configMap: { name: 'volume' } },
        { name: 'c', projected },
      ],
    });
    for (const name of ['env', 'from', 'volume', 'projected']) {
      expect(await asked(server, `GET /api/v1/namespaces/default/secrets/${name}`)).toBe('allow');
      expect(await asked(server, `GET /api/v1/namespaces/default/configmaps/${name}`)).toBe('allow');
      expect(await asked(server, `GET /api/v1/namespaces/kube-system/secrets/${name}`)).toBe(UNRELATED);
    }
    expect(await asked(server, 'GET /api/v1/namespaces/default/secrets/pull')).toBe('allow');
    expect(await asked(server, 'GET /api/v1/namespaces/default/configmaps/pull')).toBe(UNRELATED);
    expect(await asked(server, 'GET /api/v1/namespaces/default/secrets')).toBe('noOpinion: No Object name found');
    const other = { ...NODE, name: 'system:node:n2' };
    expect(await asked(server, 'GET /api/v1/namespaces/default/secrets/pull', other)).toBe(
      UNRELATED.replace('n1', 'n2'),
    );
  });

  test('claims of its pods, their volumes, and the secrets to mount these', async () => {
    const volumes = [
      { name: 'a', persistentVolumeClaim: { claimName: 'claim' } },
      {
        name: 'own',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
    ];
    await using server = await startWithPod({ volumes });
    const csi = { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { name: 's', namespace: 'kube-system' } };
    const volume = (name: string, claim: string): Promise<unknown> =>
      server.admin.core.v1.persistentvolumes.create({
        metadata: { name },
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          csi,
          claimRef: { name: claim, namespace: 'default' },
        },
      });
    await volume('v', 'claim');
    await volume('w', 'unused');
    await settle();
    expect(await asked(server, 'GET /api/v1/namespaces/default/persistentvolumeclaims/claim')).toBe('allow');
    expect(await asked(server, 'GET /api/v1/namespaces/default/persistentvolumeclaims/p-own')).toBe('allow');
    expect(await asked(server, 'PATCH /api/v1/namespaces/default/persistentvolumeclaims/claim/status')).toBe('allow');
    expect(await asked(server, 'PATCH /api/v1/namespaces/default/persistentvolumeclaims/claim')).toBe(
      'noOpinion: can only get individual resources of this type',
    );
    expect(await asked(server, 'GET /api/v1/persistentvolumes/v')).toBe('allow');
    expect(await asked(server, 'GET /api/v1/persistentvolumes/w')).toBe(UNRELATED);
    expect(await asked(server, 'GET /api/v1/namespaces/kube-system/secrets/s')).toBe('allow');
  });

  test('nothing because of a mirror pod, which it could have created itself', async () => {
    await using server = await startWithPod(
      { volumes: [{ name: 'a', hostPath: { path: '/x' } }] },
      { annotations: { 'kubernetes.io/config.mirror': 'x' } },
    );
    expect(await asked(server, 'GET /api/v1/namespaces/default/pods/p')).toBe('allow');
    expect(await asked(server, 'GET /api/v1/namespaces/default/serviceaccounts/default')).toBe(UNRELATED);
  });

  test('its pods by field selector, and nothing for a deleted pod', async () => {
    await using server = await startWithPod({ volumes: [{ name: 'a', secret: { secretName: 's' } }] });
    expect(await asked(server, 'GET /api/v1/pods?spec.nodeName=n1')).toBe('allow');
    expect(await asked(server, 'GET /api/v1/pods?spec.nodeName=n1,status.phase!=Failed')).toBe('allow');
    const refused = 'noOpinion: can only list/watch pods with spec.nodeName field selector';
    expect(await asked(server, 'GET /api/v1/pods?spec.nodeName=n2')).toBe(refused);
    expect(await asked(server, 'GET /api/v1/pods?spec.nodeName!=n1')).toBe(refused);
    expect(await asked(server, 'GET /api/v1/namespaces/default/secrets/s')).toBe('allow');
    await server.admin.core.v1.pods.namespace('default').delete('p', { gracePeriodSeconds: 0 });
    await settle();
    expect(await asked(server, 'GET /api/v1/namespaces/default/secrets/s')).toBe(UNRELATED);
    expect(await asked(server, 'GET /api/v1/namespaces/default/pods/p')).toBe(UNRELATED);
  });
});

test('a node asks for tokens of its pods’ accounts', async () => {
  await using server = await startWithPod({ serviceAccountName: 'robot' });
  const token = (name: string): string => `POST /api/v1/namespaces/default/serviceaccounts/${name}/token`;
  expect(await asked(server, token('robot'))).toBe('allow');
  expect(await asked(server, token('other'))).toBe(UNRELATED);
  expect(await asked(server, 'GET /api/v1/namespaces/default/serviceaccounts/robot')).toBe('allow');
  expect(await asked(server, 'DELETE /api/v1/namespaces/default/serviceaccounts/robot')).toBe(
    'noOpinion: can only create tokens for individual service accounts',
  );
});

test('a user that only resembles a node is not one', async () => {
  await using server = await startAccessServer();
  const request = 'GET /api/v1/services';
  expect(await asked(server, request)).toBe('allow');
  expect(await asked(server, request, { name: 'system:node:n1', groups: ['system:authenticated'] })).toBe('noOpinion');
  expect(await asked(server, request, { name: 'n1', groups: ['system:nodes'] })).toBe('noOpinion');
  expect(await asked(server, request, { name: 'system:node:', groups: ['system:nodes'] })).toBe(
    'noOpinion: unknown node for user "system:node:"',
  );
});
