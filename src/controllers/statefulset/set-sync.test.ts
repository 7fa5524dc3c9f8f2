import { expect, test } from 'vitest';
import type { StatefulSetSpec } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import type { Revision } from '../revisions/index.ts';
import { SetSync } from './set-sync.ts';
import { viewStatefulSet } from './set-view.ts';
import { statefulSet } from './testing/samples.ts';

const stored = { namespace: 'default', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

function revision(name: string): Revision {
  const metadata = { ...stored, name, uid: name };
  return { kind: 'ControllerRevision', apiVersion: 'apps/v1', metadata, revision: 1 };
}

function pod(ordinal: number, made: string, isReady = true): Observed<Pod> {
  const name = `web-${ordinal}`;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { ...stored, name, uid: name, labels: { 'controller-revision-hash': made } },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  };
}

/** The pods that one run deletes when several may be unavailable. */
async function deletedBy(spec: Partial<StatefulSetSpec>, pods: readonly Observed<Pod>[]): Promise<string[]> {
  const set = { kind: 'StatefulSet', apiVersion: 'apps/v1', ...statefulSet(spec) } as const;
  const view = viewStatefulSet({ ...set, metadata: { ...stored, name: 'web', uid: 'web' } });
  const deleted: string[] = [];
  const nothing = async (): Promise<void> => undefined;
  const actions = {
    create: nothing,
    createMissingClaims: nothing,
    repair: nothing,
    releaseClaims: nothing,
    hasStaleClaim: () => false,
    delete: async ({ metadata }: Observed<Pod>): Promise<void> => void deleted.push(metadata.name),
  };
  const revisions = { current: revision('old'), update: revision('new'), collisionCount: 0 };
  await new SetSync(view, pods, { actions, revisions, obeysMaxUnavailable: true, nowMs: 0 }).run();
  return deleted;
}

function rolling(maxUnavailable: number | string, partition = 0): Pick<StatefulSetSpec, 'updateStrategy'> {
  return { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, partition } } };
}

const old = [0, 1, 2, 3, 4].map((ordinal) => pod(ordinal, 'old'));

test.each([
  ['as many as may be missing', rolling(2), old, ['web-4', 'web-3']],
  ['a share of them, rounded down', rolling('50%'), old, ['web-4', 'web-3']],
  ['at least one', rolling('1%'), old, ['web-4']],
  ['none below the partition', rolling(3, 4), old, ['web-4']],
  ['fewer when others are missing', rolling(2), [...old.slice(0, 4), pod(4, 'new', false)], ['web-3']],
  ['none when enough are missing', rolling(1), [...old.slice(0, 4), pod(4, 'new', false)], []],
])('pods of old revisions are deleted: %s', async (_, strategy, pods, deleted) => {
  expect(await deletedBy({ replicas: 5, podManagementPolicy: 'Parallel', ...strategy }, pods)).toEqual(deleted);
});
