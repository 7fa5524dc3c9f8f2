import type { CSINode, CSIStorageCapacity, VolumeAttachment } from '../../api/types/storage/v1.d.ts';
import { csiNodeColumns, volumeAttachmentColumns } from '../columns/storage-columns.ts';
import { roundToMilli } from '../core/resource-list.ts';
import { defineKind } from '../kind.ts';
import { checkAttachment, checkCapacity, checkCsiNode } from './csi-rules.ts';

const GROUP = 'storage.k8s.io';

/** What storage drivers and their controllers tell each other: nodes, capacities, attachments. */
export const csiNodes = defineKind<CSINode>({
  group: GROUP,
  plural: 'csinodes',
  columns: csiNodeColumns,
  judges: ['spec.drivers', 'spec.drivers.topologyKeys'], // a node may have none
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  validate: checkCsiNode,
});

export const csiStorageCapacities = defineKind<CSIStorageCapacity>({
  group: GROUP,
  plural: 'csistoragecapacities',
  requiresResourceVersion: true,
  judges: ['storageClassName'],
  validate: checkCapacity,
});

export const volumeAttachments = defineKind<VolumeAttachment>({
  group: GROUP,
  plural: 'volumeattachments',
  columns: volumeAttachmentColumns,
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  statusMetadata: 'owned',
  judges: ['spec.nodeName'],

  applyDefaults({ spec }) {
    roundToMilli(spec.source.inlineVolumeSpec?.capacity);
  },

  validate: checkAttachment,
  validateUpdate: () => [], // nothing of it may change but its status
});
