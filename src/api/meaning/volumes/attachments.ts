import { createHash } from 'node:crypto';
import type { DeepReadonly } from '../../../base/index.ts';
import type { PersistentVolume } from '../../types/core/v1.d.ts';
import type { CSIDriver } from '../../types/storage/v1.d.ts';

/** A volume by its driver's handle. */
export interface DriverHandle {
  readonly driver: string;
  readonly volumeHandle: string;
}

/** The name of a driver's volume in the status of nodes. */
export function uniqueVolumeName({ driver, volumeHandle }: DriverHandle): string {
  return `kubernetes.io/csi/${driver}^${volumeHandle}`;
}

/** Whether volumes of a driver have to be attached to nodes; default true. */
export function isAttachRequired(driver: DeepReadonly<CSIDriver> | undefined): boolean {
  return driver?.spec?.attachRequired ?? true;
}

/** Whether a volume may be attached to several nodes at once. */
export function isMultiAttachAllowed({ spec }: DeepReadonly<PersistentVolume>): boolean {
  const { accessModes = [] } = spec ?? {};
  return accessModes.length === 0 || accessModes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
}

/** The name of the VolumeAttachment of a volume and a node, by which controllers and nodes find it. */
export function attachmentName({ driver, volumeHandle }: DriverHandle, nodeName: string): string {
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`;
}
