import { type VolumeDriver, VolumeDriverError } from './volume-driver.ts';

/** As the default class of clusters with simulated nodes names it. */
export const SIMULATED_DRIVER = 'sim.keelson.dev';
/** A parameter of classes: why no volume of them can be made. */
const FAILURE = 'failure';

/**
 * Storage that is nothing but its name: any number of volumes of any size, for as many pods as want them. It keeps nothing, and
 * so is the same in every process and copy of a cluster.
 */
export function simulatedDriver(): VolumeDriver {
  return {
    name: SIMULATED_DRIVER,
    async createVolume({ name, capacityRange, parameters }) {
      const unknown = Object.keys(parameters).filter((key) => key !== FAILURE);
      if (unknown.length > 0)
        throw new VolumeDriverError('InvalidArgument', `unknown parameters ${unknown.toSorted().join(', ')}`);
      const failure = parameters[FAILURE];
      if (failure !== undefined) throw new VolumeDriverError('Internal', failure);
      return { volumeId: name, capacityBytes: capacityRange.requiredBytes };
    },
    deleteVolume: async () => undefined,
  };
}
