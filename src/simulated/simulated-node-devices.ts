import {
  type ContainerEdits,
  type DeviceEdits,
  NO_DEVICES,
  NO_EDITS,
  type NodeDevices,
  type PodClaim,
} from '../node/index.ts';
import type { Observed, Pod } from '../client/index.ts';

/** Accepts the devices of every driver: containers get the names of the devices that are allocated to their claims. */
export const simulatedNodeDevices: NodeDevices = {
  ...NO_DEVICES,
  prepare: async (pod, claims) => (claims.length === 0 ? NO_EDITS : editsOf(pod, claims)),
};

function editsOf({ spec }: Observed<Pod>, claims: readonly PodClaim[]): DeviceEdits {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return new Map(
    containers.flatMap(({ name, resources }): [string, ContainerEdits][] => {
      const cdiDevices = (resources?.claims ?? []).flatMap((wanted) => {
        const { claim } = claims.find((each) => each.name === wanted.name) ?? {};
        const results = claim?.status?.allocation?.devices?.results ?? [];
        const chosen = results.filter(({ request }) => wanted.request === undefined || request === wanted.request);
        return chosen.map(({ driver, pool, device }) => `${driver}/device=${pool}-${device}`);
      });
      return cdiDevices.length === 0
        ? []
        : [[name, { envs: [], mounts: [], devices: [], cdiDevices, annotations: {} }]];
    }),
  );
}
