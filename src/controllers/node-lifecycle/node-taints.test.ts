import { expect, test } from 'vitest';
import type { Node } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { missingLabels } from './node-labels.ts';
import { changeTaints, scheduleTaintChanges } from './node-taints.ts';

function node(parts: Pick<Node, 'spec' | 'status' | 'metadata'>): Observed<Node> {
  return { metadata: {}, ...parts } as Observed<Node>;
}

test('each unhealthy condition has its taint', () => {
  const conditions = [
    { type: 'Ready', status: 'Unknown' },
    { type: 'MemoryPressure', status: 'True' },
    { type: 'DiskPressure', status: 'True' },
    { type: 'PIDPressure', status: 'True' },
    { type: 'NetworkUnavailable', status: 'True' },
    { type: 'Odd', status: 'True' },
  ];

  const { add, remove } = scheduleTaintChanges(node({ spec: { unschedulable: true }, status: { conditions } }));

  const names = [
    'unreachable',
    'memory-pressure',
    'disk-pressure',
    'pid-pressure',
    'network-unavailable',
    'unschedulable',
  ];
  expect(add).toEqual(names.map((name) => ({ key: `node.kubernetes.io/${name}`, effect: 'NoSchedule' })));
  expect(remove).toEqual([]);
});

test('outdated taints are removed, and those of other components stay', () => {
  const taints = [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
    { key: 'mine', effect: 'NoSchedule' },
  ] as const;
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };

  const changes = scheduleTaintChanges(node({ spec: { taints: [...taints] }, status }));

  expect(changes).toEqual({ add: [], remove: [taints[0]] });
  expect(changeTaints(taints, changes, 'now')).toEqual([taints[1], taints[2]]);
});

test('an added taint carries the time, and an unchanged list is the same object', () => {
  const taint = { key: 'a', effect: 'NoSchedule' } as const;

  expect(changeTaints([], { add: [taint], remove: [] }, 'now')).toEqual([{ ...taint, timeAdded: 'now' }]);
  const taints = [taint];
  expect(changeTaints(taints, { add: [], remove: [{ key: 'b', effect: 'NoSchedule' }] }, 'now')).toBe(taints);
});

test('deprecated labels mirror the new ones', () => {
  const labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' };

  const missing = missingLabels(node({ metadata: { labels } }));

  expect(missing).toEqual({ 'beta.kubernetes.io/os': 'linux', 'beta.kubernetes.io/arch': 'arm64' });
  expect(missingLabels(node({ metadata: { labels: { ...labels, ...missing } } }))).toBeUndefined();
  expect(missingLabels(node({ metadata: {} }))).toBeUndefined();
});
