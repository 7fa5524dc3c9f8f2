import { describe, expect, test } from 'vitest';
import { type Client, mergePatch, Pod, strategicPatch } from '../client/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';

const SPEC = { containers: [{ name: 'c', image: 'i' }] };

async function withPod(act: (pods: ReturnType<typeof podsOf>) => Promise<void>): Promise<void> {
  await using cluster = await TestCluster.start();
  const pods = podsOf(cluster.client());
  await pods.create({ metadata: { name: 'p', labels: { a: 'b' } }, spec: SPEC });
  await act(pods);
}

// oxlint-disable-next-line explicit-function-return-type -- what a client is made of
function podsOf(client: Client) {
  return client.kindIn(Pod, 'default');
}

describe('a patch of the status of a pod', () => {
  test('keeps unchanged parts', () =>
    withPod(async (pods) => {
      const before = await pods.get('p', { isReadOnly: true });
      const body = { metadata: { uid: before.metadata.uid }, status: { phase: 'Running', podIP: '10.0.0.1' } };
      const after = await pods.status.patch('p', strategicPatch(body), { isReadOnly: true });

      expect(after.spec).toBe(before.spec);
      expect(after.metadata.labels).toBe(before.metadata.labels);
      expect(after.status).toMatchObject({ phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] });
      expect(Object.keys(after)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
      const managers = after.metadata.managedFields?.map(({ subresource, operation }) => [operation, subresource]);
      expect(managers).toEqual([
        ['Update', undefined],
        ['Update', 'status'],
      ]);
    }));

  test('changes nothing else, and is validated as strictly as before', () =>
    withPod(async (pods) => {
      const before = await pods.get('p');
      const body = { spec: { priority: 7 }, metadata: { labels: { c: 'd' } }, status: { message: 'm' } };
      const after = await pods.status.patch('p', mergePatch(body));
      expect(after.spec).toEqual(before.spec);
      expect(after.metadata.labels).toEqual({ a: 'b', c: 'd' });
      expect(after.status?.message).toBe('m');

      const wrong = mergePatch({ spec: { containers: 'none' } });
      await expect(pods.status.patch('p', wrong)).rejects.toMatchObject({ code: 422 });
      const same = await pods.status.patch('p', mergePatch({ status: { message: 'm' } }));
      expect(same.metadata.resourceVersion).toBe(after.metadata.resourceVersion);
    }));
});
