import { describe, expect, test } from 'vitest';
import { type AccessServer, startAccessServer } from '../../access/testing/access-server.ts';

const NODE = { name: 'system:node:n1', groups: ['system:nodes'] };
const MASTER_NODE = { name: 'system:node:n1', groups: ['system:nodes', 'system:masters'] };

async function start(): Promise<AccessServer> {
  return startAccessServer({ admission: { enable: ['NodeRestriction'], disable: ['ServiceAccount'] } });
}

const node = (name: string, labels: Record<string, string> = {}, more: object = {}): object => ({
  metadata: { name, labels },
  ...more,
});

describe('a node writes its own Node', () => {
  test('and no other, with the labels that it may set', async () => {
    await using server = await start();
    const path = '/api/v1/nodes';
    const own = { 'kubernetes.io/hostname': 'n1', 'x.node.kubernetes.io/a': 'b', 'example.com/any': 'c' };
    expect(await server.send(NODE, `POST ${path}`, node('n2'))).toBe(
      '403 nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    );
    const forbidden = { 'kubernetes.io/role': 'x', 'node-restriction.kubernetes.io/a': 'b' };
    expect(await server.send(NODE, `POST ${path}`, node('n1', { ...own, ...forbidden }))).toBe(
      '403 nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: ' +
        'kubernetes.io/role, node-restriction.kubernetes.io/a',
    );
    expect(await server.send(NODE, `POST ${path}`, node('n1', own))).toMatchObject({ kind: 'Node' });
    const patch = (body: object): Promise<unknown> => server.send(NODE, `PATCH ${path}/n1`, body);
    expect(await patch({ metadata: { labels: { 'kubernetes.io/role': 'x' } } })).toBe(
      '403 nodes "n1" is forbidden: is not allowed to modify labels: kubernetes.io/role',
    );
    expect(await patch({ spec: { taints: [] } })).toBe(
      '403 nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
    );
    expect(await patch({ metadata: { annotations: { a: 'b' } } })).toMatchObject({ kind: 'Node' });
  });

  test('and its lease and CSINode', async () => {
    await using server = await start();
    const leases = 'POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    const lease = (name: string): object => ({ metadata: { name }, spec: { leaseDurationSeconds: 40 } });
    expect(await server.send(NODE, leases, lease('n2'))).toBe(
      '403 leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
    );
    expect(await server.send(NODE, leases, lease('n1'))).toMatchObject({ kind: 'Lease' });
    const csiNodes = 'POST /apis/storage.k8s.io/v1/csinodes';
    expect(await server.send(NODE, csiNodes, { metadata: { name: 'n2' }, spec: { drivers: [] } })).toBe(
      '403 csinodes.storage.k8s.io "n2" is forbidden: can only access CSINode with the same name as the requesting node',
    );
  });
});

describe('a node writes pods', () => {
  const pods = '/api/v1/namespaces/default/pods';
  const pod = (nodeName: string, metadata: object = {}): object => ({
    metadata: { name: 'p', ...metadata },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
  });

  test('that mirror its static pods, and refer to nothing', async () => {
    await using server = await start();
    const { metadata } = (await server.send(NODE, 'POST /api/v1/nodes', node('n1'))) as { metadata: { uid: string } };
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: metadata.uid, controller: true };
    const annotations = { 'kubernetes.io/config.mirror': 'x' };
    const refused = async (body: object): Promise<unknown> => server.send(NODE, `POST ${pods}`, body);
    const why = '403 pods "p" is forbidden: ';
    expect(await refused(pod('n1'))).toBe(
      `${why}pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods`,
    );
    expect(await refused(pod('n2', { annotations }))).toBe(
      `${why}node "n1" can only create pods with spec.nodeName set to itself`,
    );
    expect(await refused(pod('n1', { annotations }))).toBe(
      `${why}node "n1" can only create pods with an owner reference set to itself`,
    );
    expect(await refused(pod('n1', { annotations, ownerReferences: [{ ...owner, uid: 'x' }] }))).toBe(
      `${why}node n1 UID mismatch: expected x got ${metadata.uid}`,
    );
    const spec = {
      nodeName: 'n1',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
    };
    expect(await refused({ ...pod('n1', { annotations, ownerReferences: [owner] }), spec })).toBe(
      `${why}node "n1" can not create pods that reference persistentvolumeclaims`,
    );
    expect(await refused(pod('n1', { annotations, ownerReferences: [owner] }))).toMatchObject({ kind: 'Pod' });
    expect(await server.send(NODE, `DELETE ${pods}/p`)).toMatchObject({ kind: 'Pod' });
  });

  test('that are bound to it: their status, eviction and deletion', async () => {
    await using server = await start();
    await server.admin.request({ method: 'POST', path: pods, body: pod('n2', { labels: { a: 'b' } }) });
    const why = '403 pods "p" is forbidden: ';
    expect(await server.send(NODE, `PATCH ${pods}/p/status`, { status: { phase: 'Running' } })).toBe(
      `${why}node "n1" can only update pod status for pods with spec.nodeName set to itself`,
    );
    expect(await server.send(NODE, `POST ${pods}/p/eviction`, { metadata: { name: 'p' } })).toBe(
      `${why}node n1 can only evict pods with spec.nodeName set to itself`,
    );
    expect(await server.send(NODE, `DELETE ${pods}/p`)).toBe(
      `${why}node "n1" can only delete pods with spec.nodeName set to itself`,
    );
    expect(await server.send(NODE, `DELETE ${pods}/none`)).toMatch(/^404 /);
    const second = { name: 'system:node:n2', groups: ['system:nodes'] };
    expect(await server.send(second, `PATCH ${pods}/p/status`, { metadata: { labels: { a: 'c' } } })).toBe(
      `${why}node "n2" cannot update labels through pod status`,
    );
    expect(await server.send(second, `PATCH ${pods}/p/status`, { status: { phase: 'Running' } })).toMatchObject({
      status: { phase: 'Running' },
    });
    expect(await server.send(MASTER_NODE, `PATCH ${pods}/p`, { metadata: { labels: { c: 'd' } } })).toBe(
      `${why}unexpected operation "UPDATE", node "n1" can only create and delete mirror pods`,
    );
  });
});

test('other users are not restricted', async () => {
  await using server = await start();
  await server.admin.request({
    method: 'POST',
    path: '/api/v1/nodes',
    body: node('n9', { 'kubernetes.io/role': 'x' }),
  });
  const found = await server.send({ name: 'a', groups: ['system:masters'] }, 'GET /api/v1/nodes/n9');
  expect(found).toMatchObject({ metadata: { labels: { 'kubernetes.io/role': 'x' } } });
});
