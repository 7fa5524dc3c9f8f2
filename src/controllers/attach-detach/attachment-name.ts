import { createHash } from 'node:crypto';
import type { DriverHandle } from '../../api/meaning/index.ts';

/** The deterministic name of the VolumeAttachment of a volume and a node. */
export function attachmentName({ driver, volumeHandle }: DriverHandle, nodeName: string): string {
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${nodeName}`).digest('hex')}`;
}
