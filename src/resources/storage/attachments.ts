import type { CSINode, CSIStorageCapacity, VolumeAttachment } from '../../api/types/storage/v1.d.ts';
import { roundToMilli } from '../core/resource-list.ts';
import { defineKind } from '../kind.ts';

const GROUP = 'storage.k8s.io';

/** What storage drivers and their controllers tell each other: nodes, capacities, attachments. */
export const csiNodes = defineKind<CSINode>({
  group: GROUP,
  plural: 'csinodes',
  judges: ['spec.drivers'], // a node may have none
  requiresResourceVersion: true,
  returnsDeletedObject: true,
});

export const csiStorageCapacities = defineKind<CSIStorageCapacity>({
  group: GROUP,
  plural: 'csistoragecapacities',
  requiresResourceVersion: true,
});

export const volumeAttachments = defineKind<VolumeAttachment>({
  group: GROUP,
  plural: 'volumeattachments',
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  statusMetadata: 'owned',

  applyDefaults({ spec }) {
    roundToMilli(spec.source.inlineVolumeSpec?.capacity);
  },
});
