import { type Topology, type VolumeDriver, VolumeDriverError } from './volume-driver.ts';

/** As the default class of clusters with simulated nodes names it. */
export const SIMULATED_DRIVER = 'sim.keelson.dev';
/** Parameters of classes: why no volume of them can be made, or attached. */
const FAILURE = 'failure';
const ATTACH_FAILURE = 'attachFailure';
/** A parameter of classes: the label of nodes that tells from where a volume can be reached. */
const TOPOLOGY = 'topology';
const PARAMETERS = new Set([FAILURE, ATTACH_FAILURE, TOPOLOGY]);
/** The parameter of attributes classes: how fast a volume is said to be. */
const SPEED = 'speed';

/**
 * Storage that is nothing but its name: any number of volumes of any size, for as many pods as want them. It keeps nothing, and
 * so is the same in every process and copy of a cluster.
 */
export function simulatedDriver(): VolumeDriver {
  return {
    name: SIMULATED_DRIVER,
    async createVolume({ name, capacityRange, parameters, mutableParameters = {}, accessibilityRequirements }) {
      checkNames(parameters, PARAMETERS);
      checkNames(mutableParameters, new Set([SPEED]));
      const { [FAILURE]: failure, [ATTACH_FAILURE]: attachFailure, [TOPOLOGY]: label } = parameters;
      if (failure !== undefined) throw new VolumeDriverError('Internal', failure);
      const place = label === undefined ? undefined : placeBy(label, accessibilityRequirements?.preferred ?? []);
      return {
        volumeId: name,
        capacityBytes: capacityRange.requiredBytes,
        ...(attachFailure === undefined ? {} : { volumeContext: { [ATTACH_FAILURE]: attachFailure } }),
        ...(place === undefined ? {} : { accessibleTopology: [place] }),
      };
    },
    deleteVolume: async () => undefined,
    async controllerPublishVolume({ volumeContext }) {
      const { [ATTACH_FAILURE]: failure } = volumeContext;
      if (failure !== undefined) throw new VolumeDriverError('Internal', failure);
      return {};
    },
    controllerUnpublishVolume: async () => undefined,
    controllerExpandVolume: async ({ capacityRange }) => ({
      capacityBytes: capacityRange.requiredBytes,
      nodeExpansionRequired: true,
    }),
    controllerModifyVolume: async ({ mutableParameters }) => checkNames(mutableParameters, new Set([SPEED])),
  };
}

function checkNames(parameters: Readonly<Record<string, string>>, known: ReadonlySet<string>): void {
  const unknown = Object.keys(parameters).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new VolumeDriverError('InvalidArgument', `unknown parameters ${unknown.toSorted().join(', ')}`);
}

/** The best place, as far as the label tells it. */
function placeBy(label: string, [best]: readonly Topology[]): Topology {
  const value = best?.segments[label];
  if (value !== undefined) return { segments: { [label]: value } };
  throw new VolumeDriverError('ResourceExhausted', `no node is labelled with ${label}`);
}
