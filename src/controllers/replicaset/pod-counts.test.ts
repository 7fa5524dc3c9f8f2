import { expect, test } from 'vitest';
import { matchLabelSelector, ValueError } from '../../api/client.ts';
import type { Pod as PodObject } from '../../api/types/core/v1.d.ts';
import { Indexer, type Observed } from '../../client/index.ts';
import { countPods } from './pod-counts.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const uid = 'owner';
let made = 0;

function pod(
  labels: Record<string, string>,
  { readySeconds, ...rest }: { readySeconds?: number; phase?: string } = {},
) {
  const lastTransitionTime = new Date(NOW - (readySeconds ?? 0) * 1000).toISOString();
  const ready = { type: 'Ready', status: 'True', lastTransitionTime };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller: true };
  made += 1;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: `p${made}`,
      namespace: 'n',
      uid: `u${made}`,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
      ownerReferences: [owner],
    },
    status: { conditions: readySeconds === undefined ? [] : [ready], ...rest },
  } as Observed<PodObject>;
}

function countsOf(pods: readonly Observed<PodObject>[], minReadySeconds: number) {
  const indexer = new Indexer<PodObject>();
  for (const one of pods) indexer.set(one);
  const selector = matchLabelSelector({ matchLabels: { app: 'web' } });
  if (selector instanceof ValueError) throw selector;
  const wanted = {
    replicas: 3,
    minReadySeconds,
    generation: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web', v: '1' } } },
    status: { replicas: 0 },
  };
  const counted = { list: () => indexer.list(), counts: indexer.counts.bind(indexer) };
  return countPods(counted, { uid, wanted, selector, nowMs: NOW });
}

test('counts fully labeled, ready and available pods', () => {
  const labels = { app: 'web', v: '1' };
  const terminating = pod(labels);
  const pods = [
    pod(labels, { readySeconds: 20 }),
    pod(labels, { readySeconds: 5 }),
    pod(labels),
    pod({ app: 'web' }),
    pod(labels, { phase: 'Failed' }),
    { ...terminating, metadata: { ...terminating.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
  ];
  const counts = { active: 4, terminating: 1, fullyLabeled: 3, ready: 2, hasUnmatched: false };
  expect(countsOf(pods, 10)).toEqual({ ...counts, available: 1 });
  expect(countsOf(pods, 0)).toEqual({ ...counts, available: 2 });
});

test('active pods that do not match the selector must be released', () => {
  expect(countsOf([pod({ app: 'db' }), pod({ app: 'web' })], 0)).toMatchObject({ active: 1, hasUnmatched: true });
  expect(countsOf([pod({ app: 'db' }, { phase: 'Failed' })], 0)).toMatchObject({ active: 0, hasUnmatched: false });
});
