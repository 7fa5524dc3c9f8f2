import { describe, expect, test } from 'vitest';
import { LineLogger, VirtualClock } from '../../base/index.ts';
import { type Observed, PersistentVolumeClaim, Pod } from '../../client/index.ts';
import { controller, type StatusOf } from '../index.ts';
import { runApp, type RunningApp } from '../testing/running-app.ts';

const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

function pods({ client }: RunningApp): ReturnType<RunningApp['client']['core']['v1']['pods']['namespace']> {
  return client.core.v1.pods.namespace('default');
}

describe('a status that a reconciler returns', () => {
  test('is written once, keeps fields of other writers, and does not trigger the controller', async () => {
    const part = controller(Pod, {
      name: 'phases',
      reconcile: (): StatusOf<Pod> => ({ message: 'hello', conditions: [{ type: 'Kit', status: 'True' }] }),
    });
    await using running = await runApp([part]);
    await pods(running).create(pod);
    await running.settle();

    const stored = await pods(running).get('p');
    expect(stored.status).toMatchObject({
      phase: 'Pending',
      message: 'hello',
      conditions: [{ type: 'Kit', status: 'True' }],
    });
    const ours = stored.metadata.managedFields?.find(({ manager }) => manager === 'phases');
    expect(ours).toMatchObject({ operation: 'Apply', subresource: 'status' });
    expect(running.app.trace().map(({ why, writes }) => [why, writes])).toEqual([[['Pod default/p added'], 1]]);

    await pods(running).status.update({ ...stored, status: { ...stored.status, reason: 'Other' } });
    await running.settle();
    expect(running.app.trace().at(-1)).toMatchObject({ why: ['Pod default/p changed'], writes: 0 });
    expect((await pods(running).get('p')).status).toMatchObject({ reason: 'Other', message: 'hello' });
  });

  test('that two controllers fight over is reported with both managers', async () => {
    const lines: string[] = [];
    const log = new LineLogger({ clock: new VirtualClock(), level: 'warn', write: (line) => lines.push(line) });
    let rounds = 0;
    const says = (message: string) =>
      controller(Pod, {
        name: message,
        reconcile: (): StatusOf<Pod> => (rounds++ > 60 ? {} : { message }),
      });
    await using running = await runApp([says('left'), says('right')], undefined, { log });
    await pods(running).create(pod);
    await running.settle();
    const reports = lines.filter((line) => line.includes('status is changed by another writer again and again'));
    expect(reports[0]).toMatch(/object="default\/p" times=8 managers=\["(left","right|right","left)"\]/);
    expect(reports.length).toBeLessThan(7);
  });

  test('is written again when others change it; a concurrent change of the object triggers the controller', async () => {
    const seen: (string | undefined)[] = [];
    const part = controller(Pod, {
      async reconcile(object: Observed<Pod>, { client }): Promise<StatusOf<Pod>> {
        seen.push(object.metadata.labels?.['a']);
        if (seen.length === 1) {
          await client.core.v1.pods
            .namespace('default')
            .apply({ metadata: { name: 'p', labels: { a: 'b' } } }, { fieldManager: 'other', force: true });
        }
        return { message: 'hello' };
      },
    });
    await using running = await runApp([part]);
    await pods(running).create(pod);
    await running.settle();
    expect(seen).toEqual([undefined, 'b']);

    const stored = await pods(running).get('p');
    await pods(running).status.update({ ...stored, status: { ...stored.status, message: 'changed' } });
    await running.settle();
    expect((await pods(running).get('p')).status?.message).toBe('hello');
  });

  test('loses the fields that are no longer returned', async () => {
    const part = controller(PersistentVolumeClaim, {
      reconcile: (claim): StatusOf<PersistentVolumeClaim> =>
        claim.metadata.labels?.['bound'] === undefined
          ? { phase: 'Pending', accessModes: ['ReadWriteOnce'] }
          : { phase: 'Bound' },
    });
    await using running = await runApp([part]);
    const claims = running.client.core.v1.persistentvolumeclaims.namespace('default');
    await claims.create({
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await running.settle();
    expect((await claims.get('c')).status).toMatchObject({ phase: 'Pending', accessModes: ['ReadWriteOnce'] });

    await claims.apply({ metadata: { name: 'c', labels: { bound: '' } } } as never, { fieldManager: 'x', force: true });
    await running.settle();
    expect((await claims.get('c')).status).toEqual({ phase: 'Bound' });
  });
});
