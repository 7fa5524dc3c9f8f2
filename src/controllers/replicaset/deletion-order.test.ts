import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { choosePodsToDelete } from './deletion-order.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

interface PodFacts {
  readonly node?: string;
  readonly phase?: NonNullable<Pod['status']>['phase'];
  readonly ready?: boolean;
  readonly readySeconds?: number;
  readonly ageSeconds?: number;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly cost?: string;
  readonly uid?: string;
}

function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

function pod(name: string, facts: PodFacts = {}): Observed<Pod> {
  const { node = 'n1', phase = 'Running', ready = true, readySeconds = 60, ageSeconds = 60, restarts = 0 } = facts;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: facts.uid ?? name,
      resourceVersion: '1',
      creationTimestamp: ago(ageSeconds),
      ...(facts.cost === undefined
        ? {}
        : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': facts.cost } }),
    },
    spec: { nodeName: node, containers: [], initContainers: [{ name: 'side', restartPolicy: 'Always' }] },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(readySeconds) }],
      containerStatuses: [{ name: 'main', restartCount: restarts, ready, image: '', imageID: '' }],
      initContainerStatuses: [
        { name: 'side', restartCount: facts.sidecarRestarts ?? 0, ready, image: '', imageID: '' },
        { name: 'once', restartCount: 99, ready, image: '', imageID: '' },
      ],
    },
  };
}

/** The names of all pods but the last, in the order in which they are deleted. */
function order(pods: readonly Observed<Pod>[], related: readonly Observed<Pod>[] = []): string[] {
  const chosen = choosePodsToDelete(pods, pods.length - 1, { related, nowMs: NOW });
  return chosen.map(({ metadata }) => metadata.name);
}

describe('pods to delete', () => {
  test.each([
    ['not assigned to a node before assigned', pod('keep'), pod('go', { node: '' })],
    ['pending before running', pod('keep'), pod('go', { phase: 'Pending' })],
    ['unknown before running', pod('keep'), pod('go', { phase: 'Unknown' })],
    ['not ready before ready', pod('keep'), pod('go', { ready: false })],
    ['cheaper before dearer', pod('keep', { cost: '10' }), pod('go', { cost: '-10' })],
    ['a cost that cannot be read counts as zero', pod('keep', { cost: '1' }), pod('go', { cost: '+5' })],
    ['ready for a shorter time', pod('keep', { readySeconds: 3600 }), pod('go', { readySeconds: 60 })],
    ['with more restarts', pod('keep'), pod('go', { restarts: 3 })],
    ['with more restarts of sidecars', pod('keep'), pod('go', { sidecarRestarts: 3 })],
    ['younger before older', pod('keep', { ageSeconds: 3600 }), pod('go', { ageSeconds: 60 })],
  ])('%s', (_, keep, go) => {
    expect(order([keep, go])).toEqual(['go']);
    expect(order([go, keep])).toEqual(['go']);
  });

  test('of similar age by uid, not by age', () => {
    const older = pod('older', { ageSeconds: 61, uid: 'a' });
    const younger = pod('younger', { ageSeconds: 60, uid: 'b' });
    expect(order([younger, older])).toEqual(['older']);
  });

  test('first from the node with the most pods of the application', () => {
    const pods = [pod('alone', { node: 'n1', restarts: 9 }), pod('crowded', { node: 'n2' })];
    const finished = pod('finished', { node: 'n1', phase: 'Succeeded' });
    expect(order(pods, [...pods, pod('other', { node: 'n2' }), finished, finished])).toEqual(['crowded']);
  });

  test('all of them when none is to be left', () => {
    const pods = [pod('a'), pod('b')];
    expect(choosePodsToDelete(pods, 2, { related: [], nowMs: NOW })).toEqual(pods);
  });
});
