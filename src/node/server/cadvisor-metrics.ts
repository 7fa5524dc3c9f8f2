import { amountsOf } from '../../api/meaning/index.ts';
import { KUBEPODS } from '../config/cgroup-name.ts';
import { groupFamilies } from './cadvisor-families.ts';
import { countedGroups } from './counted-groups.ts';
import { type Family, metricLines, type Sample } from './metric-lines.ts';
import { type GroupedNode, usedGroups } from './used-groups.ts';

/** What machine, pods and containers use, by the names of cAdvisor: the document of `/metrics/cadvisor`. Only what is measured is in it. */
export async function cadvisorMetrics(node: GroupedNode, nowMs: number): Promise<string> {
  const { machine, cgroups } = node.backend;
  const isCounted = cgroups !== undefined && (machine.podCgroups ?? KUBEPODS).isPerPod;
  const groups = isCounted ? await countedGroups(node, cgroups, nowMs) : await usedGroups(node);
  return metricLines([...groupFamilies(groups), ...machineFamilies(node)]);
}

function machineFamilies({ backend: { machine, cgroups } }: GroupedNode): readonly Family[] {
  const capacity = amountsOf(machine.capacity);
  const { info } = machine;
  const labels = { boot_id: info.bootID, machine_id: info.machineID, system_uuid: info.systemUUID };
  const version = {
    cadvisorRevision: '',
    cadvisorVersion: '',
    dockerVersion: '',
    kernelVersion: info.kernelVersion,
    osVersion: info.osImage,
  };
  return [
    gauge('cadvisor_version_info', 'Always 1; the labels tell the versions of kernel and system.', {
      labels: version,
      value: 1,
    }),
    gauge('machine_cpu_cores', 'Logical cores of the machine.', {
      labels,
      value: Math.ceil((capacity.get('cpu')?.milliValue() ?? 0) / 1000),
    }),
    ...(cgroups === undefined
      ? []
      : [
          gauge('machine_cpu_physical_cores', 'Physical cores of the machine.', {
            labels,
            value: cgroups.processors.physicalCores,
          }),
          gauge('machine_cpu_sockets', 'Sockets of the machine.', { labels, value: cgroups.processors.sockets }),
          gauge('machine_swap_bytes', 'Swap of the machine in bytes.', { labels, value: info.swapCapacity ?? 0 }),
        ]),
    gauge('machine_memory_bytes', 'Memory of the machine in bytes.', {
      labels,
      value: capacity.get('memory')?.value() ?? 0,
    }),
    gauge('container_scrape_error', '1 if the figures could not be read, 0 otherwise.', { value: 0 }),
    gauge('machine_scrape_error', '1 if the figures of the machine could not be read, 0 otherwise.', { value: 0 }),
  ];
}

function gauge(name: string, help: string, sample: Sample): Family {
  return { name, type: 'gauge', help, samples: [sample] };
}
