import type { CSINode, CSIStorageCapacity, VolumeAttachment } from '../../api/types/storage/v1.d.ts';
import { ageColumn, boolean, column, each, integer, nameColumn } from '../columns/column.ts';
import { roundToMilli } from '../core/resource-list.ts';
import { defineKind } from '../kind.ts';
import { checkAttachment, checkCapacity, checkCsiNode } from './csi-rules.ts';

const GROUP = 'storage.k8s.io';

/** What storage drivers and their controllers tell each other: nodes, capacities, attachments. */
export const csiNodes = defineKind<CSINode>({
  group: GROUP,
  plural: 'csinodes',
  columns: [
    nameColumn,
    integer('Drivers', 'How many CSI drivers the node has', ({ spec }) => each(spec?.drivers).length),
    ageColumn,
  ],
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
  columns: [
    nameColumn,
    {
      ...column('Attacher', 'Driver that attaches the volume', ({ spec }) => spec?.attacher ?? ''),
      format: 'name',
    },
    column('PV', 'The volume', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
    column('Node', 'Node that it is attached to', ({ spec }) => spec?.nodeName ?? ''),
    boolean('Attached', 'Whether it is attached now', ({ status }) => status?.attached ?? false),
    ageColumn,
  ],
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
