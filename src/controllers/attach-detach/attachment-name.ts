import { createHash } from 'node:crypto';
import type { DriverHandle } from '../../api/meaning/index.ts';

/** The name of the VolumeAttachment of a volume to a node, the same whenever it is tried. */
export function attachmentName({ driver, volumeHandle }: DriverHandle, nodeName: string): string {
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`;
}
