import type { Family, Sample } from '../backend/index.ts';
import type { InterfaceUsage, Pressure } from '../runtime/index.ts';
import type { Cgroup } from './cgroup.ts';

const MICROSECONDS = 1e6;

/** Families of cAdvisor that only a real machine measures: network, faults, swap, disk, processes and pressure. */
export function detailFamilies(groups: readonly Cgroup[]): readonly Family[] {
  const samples = (of: (group: Cgroup) => readonly Sample[]): readonly Sample[] =>
    groups.flatMap((group) =>
      of(group).map((sample) => ({
        ...sample,
        labels: { ...group.labels, ...sample.labels },
        atMs: group.usage.timestampMs,
      })),
    );
  const one = (value: number | undefined): readonly Sample[] => (value === undefined ? [] : [{ value }]);
  return [
    ...networkFamilies(samples),
    ...pressureFamilies(samples),
    {
      name: 'container_memory_failures_total',
      type: 'counter',
      help: 'Page faults, by kind.',
      samples: samples(({ usage }) => {
        const { memory } = usage.details ?? {};
        if (memory === undefined) return [];
        return [
          { labels: { failure_type: 'pgfault', scope: 'container' }, value: memory.pageFaults },
          { labels: { failure_type: 'pgmajfault', scope: 'container' }, value: memory.majorPageFaults },
        ];
      }),
    },
    {
      name: 'container_memory_swap',
      type: 'gauge',
      help: 'Swap that is used, in bytes.',
      samples: samples(({ usage }) => one(usage.details?.swap?.usageBytes)),
    },
    {
      name: 'container_fs_usage_bytes',
      type: 'gauge',
      help: "Bytes of the container's own layer of its file system.",
      samples: samples(({ usage }) => one(usage.details?.writableLayer?.usedBytes)),
    },
    {
      name: 'container_processes',
      type: 'gauge',
      help: 'Processes that run.',
      samples: samples(({ processCount }) => one(processCount)),
    },
  ];
}

type Sampling = (of: (group: Cgroup) => readonly Sample[]) => readonly Sample[];

function networkFamilies(samples: Sampling): readonly Family[] {
  const family = (name: string, help: string, value: (each: InterfaceUsage) => number): Family => ({
    name: `container_network_${name}_total`,
    type: 'counter',
    help,
    samples: samples(({ interfaces = [] }) =>
      interfaces.map((each) => ({ labels: { interface: each.name }, value: value(each) })),
    ),
  });
  return [
    family('receive_bytes', 'Bytes that were received.', ({ rxBytes }) => rxBytes),
    family('receive_errors', 'Errors of receiving.', ({ rxErrors }) => rxErrors),
    family('transmit_bytes', 'Bytes that were sent.', ({ txBytes }) => txBytes),
    family('transmit_errors', 'Errors of sending.', ({ txErrors }) => txErrors),
  ];
}

function pressureFamilies(samples: Sampling): readonly Family[] {
  const resources = ['cpu', 'memory', 'io'] as const;
  const kinds = [
    ['waiting', 'some', 'Time in which tasks waited for the resource, in seconds.'],
    ['stalled', 'full', 'Time in which all tasks waited for the resource, in seconds.'],
  ] as const satisfies readonly (readonly [string, keyof Pressure, string])[];
  return resources.flatMap((resource) =>
    kinds.map(([word, share, help]): Family => ({
      name: `container_pressure_${resource}_${word}_seconds_total`,
      type: 'counter',
      help,
      samples: samples(({ usage }) => {
        const pressure = usage.details?.pressure?.[resource];
        return pressure === undefined ? [] : [{ value: pressure[share].total / MICROSECONDS }];
      }),
    })),
  );
}
