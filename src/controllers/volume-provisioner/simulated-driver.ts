import { type Topology, type VolumeDriver, VolumeDriverError } from './volume-driver.ts';

/** The provisioner of the default class in clusters with simulated nodes. */
export const SIMULATED_DRIVER = 'sim.keelson.dev';
/** Class parameters that make creating or attaching volumes fail with their value. */
const FAILURE = 'failure';
const ATTACH_FAILURE = 'attachFailure';
/** Class parameter: the node label that determines where a volume is accessible. */
const TOPOLOGY = 'topology';
const PARAMETERS = new Set([FAILURE, ATTACH_FAILURE, TOPOLOGY]);
/** Parameter of VolumeAttributesClasses: the nominal speed of a volume. */
const SPEED = 'speed';

/**
 * A driver without storage: any number of volumes of any size, for any number of pods. It has no state, and so is the
 * same in every process and copy of a cluster.
 */
export function simulatedDriver(): VolumeDriver {
  return {
    name: SIMULATED_DRIVER,
    features: { topology: 'some-keys' },
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

/** The preferred topology, reduced to the label. */
function placeBy(label: string, [best]: readonly Topology[]): Topology {
  const value = best?.segments[label];
  if (value !== undefined) return { segments: { [label]: value } };
  throw new VolumeDriverError('ResourceExhausted', `no node is labelled with ${label}`);
}
