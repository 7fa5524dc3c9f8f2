import { HostPorts, hostPortsOf, isAssigned } from '../../api/meaning/index.ts';
import type { Pod } from '../../client/index.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Change } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unschedulable } from '../framework/rejection.ts';

const NAME = 'NodePorts';
const TAKEN = unschedulable(NAME, "node(s) didn't have free ports for the requested pod ports");

/** Filter: no two pods on a node may use the same host port. */
export function nodePorts(): Plugin {
  return {
    name: NAME,
    events: [
      { resource: 'Pod', actions: ['Delete'], isWorthRetry: freesPorts },
      { resource: 'Node', actions: ['Add'] },
    ],
    preFilter: ({ pod }) => (pod.hostPorts.length === 0 ? 'skip' : undefined),
    filter: ({ pod }, { usedPorts }) => (pod.hostPorts.some((port) => usedPorts.isTaken(port)) ? TAKEN : undefined),
  };
}

function freesPorts(pod: PodInfo, { old }: Change<Pod>): boolean {
  if (old === undefined) return true;
  if (!isAssigned(old) && (old.status?.nominatedNodeName ?? '') === '') return false;
  const freed = new HostPorts();
  for (const port of hostPortsOf(old)) freed.add(port);
  return pod.hostPorts.some((port) => freed.isTaken(port));
}
