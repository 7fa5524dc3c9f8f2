import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { Volume } from '../backend/index.ts';

/** What a container says of the volumes that it uses. */
type VolumeUser = DeepReadonly<{
  volumeMounts?: readonly { name: string }[];
  volumeDevices?: readonly { name: string }[];
}>;

/** The volumes that containers of a pod mount or have as devices. The others are never mounted, and the pod does not wait for them. */
export function usedVolumes({ spec }: Observed<Pod>): readonly Volume[] {
  const { containers = [], initContainers = [], ephemeralContainers = [], volumes = [] } = spec ?? {};
  if (volumes.length === 0) return volumes;
  const used = new Set<string>();
  for (const container of containers) addUsed(used, container);
  for (const container of initContainers) addUsed(used, container);
  for (const container of ephemeralContainers) addUsed(used, container);
  return volumes.filter(({ name }) => used.has(name));
}

/** The volumes of a pod that one container uses. */
export function volumesUsedBy(container: VolumeUser, { spec }: Observed<Pod>): readonly Volume[] {
  const { volumes = [] } = spec ?? {};
  if (volumes.length === 0) return volumes;
  const used = new Set<string>();
  addUsed(used, container);
  return volumes.filter(({ name }) => used.has(name));
}

function addUsed(used: Set<string>, { volumeMounts, volumeDevices }: VolumeUser): void {
  if (volumeMounts !== undefined) for (const { name } of volumeMounts) used.add(name);
  if (volumeDevices !== undefined) for (const { name } of volumeDevices) used.add(name);
}
