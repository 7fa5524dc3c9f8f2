import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { sharedAuthority } from './shared-authority.ts';

const place = { namespace: 'default', name: 'authority' };

async function cluster(): Promise<TestCluster> {
  return startCluster({ controllers: false, scheduler: false, nodes: 0 });
}

const open = ({ client }: TestCluster) =>
  sharedAuthority(client, place, {
    clock: client.clock,
    random: client.random,
    fieldManager: 'test',
    signal: new AbortController().signal,
  });

describe('an authority in a Secret', () => {
  test('is made once by replicas that start at the same time', async () => {
    await using started = await cluster();
    const found = await Promise.all([open(started), open(started), open(started)]);
    expect(new Set(found.map(({ authority }) => authority.certificate)).size).toBe(1);
    const leaf = new X509Certificate(found[1]?.authority.issue(['hook.default.svc']).certificate ?? '');
    expect(leaf.checkIssued(new X509Certificate(found[2]?.authority.certificate ?? ''))).toBe(true);
  });

  test('is replaced in time, and its predecessor stays trusted', async () => {
    await using started = await cluster();
    const first = await open(started);
    await started.clock.advance('2400d');
    expect((await open(started)).authority.certificate).toBe(first.authority.certificate);
    await started.clock.advance('50d');
    const second = await open(started);
    expect(second.authority.certificate).not.toBe(first.authority.certificate);
    expect(second.former).toBe(first.authority.certificate);
    expect(await open(started)).toMatchObject({ former: first.authority.certificate });
  });

  test('that is corrupted is refused', async () => {
    await using started = await cluster();
    await open(started);
    const other = await startCluster({ controllers: false, scheduler: false, nodes: 0 });
    await open(other);
    const secrets = started.client.core.v1.secrets.namespace('default');
    const theirs = await other.client.core.v1.secrets.namespace('default').get('authority');
    await other.stop();
    const secret = await secrets.get('authority');
    await secrets.update({ ...secret, data: { ...secret.data, 'ca.key': theirs.data?.['ca.key'] ?? '' } });
    await expect(open(started)).rejects.toThrow(
      'Cannot use the authority in Secret "default/authority": its ca.crt and ca.key are no pair; remove it to have another one made',
    );
  });
});
