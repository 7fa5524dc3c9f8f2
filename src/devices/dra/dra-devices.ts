import { NO_DEVICES, type NodeDevices } from '../../node/index.ts';
import type { DraDrivers } from './dra-drivers.ts';

/** The devices of claims, by the drivers that have registered with the node. */
export function draDevices(drivers: DraDrivers): NodeDevices {
  return {
    ...NO_DEVICES,
    prepare: (pod, claims, signal) => drivers.prepare(pod, claims, signal),
    unprepare: (podUid) => drivers.unprepare(podUid),
    claimed: (pod, container) => drivers.claimed(pod, container),
    podUids: () => drivers.podUids(),
  };
}
