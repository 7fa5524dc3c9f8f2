import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../api/index.ts';
import { startCluster, type TestCluster } from './index.ts';

interface StoredThing {
  readonly kind: string;
  /** Of events. */
  readonly reason?: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
}

/** Every object of every kind that the cluster serves. */
async function everything({ client }: TestCluster): Promise<readonly StoredThing[]> {
  const listed = builtInTypes()
    .resources()
    .filter(({ verbs }) => verbs.includes('list') && verbs.includes('watch'));
  const lists = await Promise.all(
    listed.map(async ({ group, version, plural, kind }) => {
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      const list = await client.request({ method: 'GET', path: `${root}/${plural}` }).catch(() => undefined); // not served
      const { items = [] } = (list ?? {}) as { readonly items?: readonly StoredThing[] };
      return items.map((item) => ({ ...item, kind }));
    }),
  );
  return lists.flat();
}

/**
 * Removes what depends on the seed and the time: uids become numbers, and names of events, which contain the time,
 * their reasons.
 */
function timeless(things: readonly StoredThing[]): readonly string[] {
  const uids = new Map(things.map(({ metadata }, index) => [metadata.uid, index]));
  const texts = things.map((thing) => {
    const { kind, metadata, reason } = thing;
    const name = kind === 'Event' ? reason : metadata.name;
    const known = { ...thing, metadata: { ...metadata, name, uid: 'of its own', resourceVersion: '' } };
    return JSON.stringify(known)
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (uid) => (uids.has(uid) ? 'a uid' : uid))
      .replaceAll(/"\d{4}-\d\d-\d\d(T[\d:.]+Z)?"/g, '"a time"')
      .replaceAll(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/g, 'a certificate');
  });
  return texts.sort();
}

describe('a cluster that begins with a template', () => {
  test('has exactly the objects of a cluster without a template', async () => {
    await using made = await startCluster({ controllers: (builtIn) => builtIn }); // a function prevents the use of a template
    await using begun = await startCluster();
    const expected = timeless(await everything(made));
    expect(expected.length).toBeGreaterThan(200);
    expect(timeless(await everything(begun))).toEqual(expected);
  });

  test('has new uids and times; the same seed gives the same ones', async () => {
    const startAt = '2031-02-28T23:59:58Z';
    await using one = await startCluster({ seed: 'a', startAt });
    await using same = await startCluster({ seed: 'a', startAt });
    await using other = await startCluster({ seed: 'b' });
    const nodes = (cluster: TestCluster) => cluster.client.core.v1.nodes.get('keelson');
    const { metadata, status } = await nodes(one);
    expect(metadata.creationTimestamp).toBe(startAt);
    expect(status?.conditions?.map(({ lastHeartbeatTime }) => lastHeartbeatTime)).toEqual(
      [1, 2, 3, 4].map(() => startAt),
    );
    expect((await nodes(same)).metadata.uid).toBe(metadata.uid);
    expect((await nodes(other)).metadata.uid).not.toBe(metadata.uid);
    const lease = await one.client.coordination.v1.leases.namespace('kube-node-lease').get('keelson');
    expect(lease.spec?.renewTime).toBe('2031-02-28T23:59:58.000000Z');
    expect(lease.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    const things = await everything(one);
    const names = things.map(({ kind, metadata: { namespace = '', name } }) => `${kind} ${namespace}/${name}`);
    expect(new Set(things.map(({ metadata: { uid } }) => uid)).size).toBe(new Set(names).size);
  });

  test('does not repeat the events of its start when its programs wake', async () => {
    await using cluster = await startCluster();
    const eventNames = async (): Promise<string[]> => {
      const { items } = await cluster.client.core.v1.events.namespace('default').list();
      return items.map(({ reason = '', count = 1 }) => `${reason} ${count}`).sort();
    };
    const atFirst = await eventNames();
    await cluster.clock.advance('1m');
    expect(await eventNames()).toEqual(atFirst);
  });
});
