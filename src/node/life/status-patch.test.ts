import { describe, expect, test } from 'vitest';
import { statusPatch } from './status-patch.ts';

const ready = { type: 'Ready', status: 'True' };
const other = { type: 'example.com/gate', status: 'True' };

describe('the patch between two reports', () => {
  test('is nothing when they are the same to the API', () => {
    expect(
      statusPatch(
        { phase: 'Running', conditions: [{ ...ready, lastProbeTime: null as unknown as string }] },
        { phase: 'Running', conditions: [ready] },
      ),
    ).toBeUndefined();
  });

  test('has what has changed, and null for what is gone', () => {
    expect(statusPatch({ phase: 'Running', reason: 'Old' }, { phase: 'Failed' })).toEqual({
      phase: 'Failed',
      reason: null,
    });
  });

  test('names the conditions that have changed, and the order of all', () => {
    const now = { type: 'Ready', status: 'False', reason: 'PodFailed' };
    expect(statusPatch({ conditions: [other, ready] }, { conditions: [other, now] })).toEqual({
      '$setElementOrder/conditions': [{ type: 'example.com/gate' }, { type: 'Ready' }],
      conditions: [now],
    });
  });

  test('takes reasons away that no longer hold, and conditions', () => {
    const before = { type: 'Ready', status: 'False', reason: 'PodFailed' };
    const gone = { type: 'AllContainersRestarting', status: 'True' };
    expect(statusPatch({ conditions: [before, gone] }, { conditions: [ready] })).toEqual({
      '$setElementOrder/conditions': [{ type: 'Ready' }],
      conditions: [
        { ...ready, reason: null },
        { $patch: 'delete', type: 'AllContainersRestarting' },
      ],
    });
  });

  test('leaves alone what is not a node’s to report', () => {
    expect(statusPatch({ phase: 'Running', nominatedNodeName: 'n1' }, { phase: 'Running' })).toBeUndefined();
  });

  test('replaces the statuses of containers as a whole', () => {
    const status = { name: 'web', ready: true, restartCount: 0, image: '', imageID: '' };
    expect(statusPatch({ containerStatuses: [{ ...status, ready: false }] }, { containerStatuses: [status] })).toEqual({
      containerStatuses: [status],
    });
  });
});
