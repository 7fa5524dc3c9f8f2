import { formatTime, instantOfMillis, quoteGo } from '../../api/index.ts';
import type { Device, ResourceSlice } from '../../api/types/resource/v1.d.ts';
import type { WriteContext } from '../../apiserver/index.ts';
import { changes } from '../change.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { alphaSliceConversion, sliceConversion } from './device-conversion.ts';
import { checkSlice } from './slice-rules.ts';
import { ANNOUNCED, deprecatedVersions, GROUP } from './versions.ts';

type Slice = Whole<ResourceSlice>;

export const resourceSlices = defineKind<ResourceSlice>({
  changeSteps: ['metadataChange', 'object', 'change'],
  group: GROUP,
  plural: 'resourceslices',
  columns: [
    nameColumn,
    column('Node', 'Node that has the devices', ({ spec }) => spec?.nodeName ?? ''),
    column('Driver', 'Driver of the devices', ({ spec }) => spec?.driver ?? ''),
    column('Pool', 'Pool that the devices are part of', ({ spec }) => spec?.pool?.name ?? ''),
    ageColumn,
  ],
  conversions: { v1beta1: sliceConversion, v1alpha3: alphaSliceConversion },
  announcedVersions: ANNOUNCED,
  deprecations: deprecatedVersions('ResourceSlice'),
  returnsDeletedObject: true,
  raisesGeneration: changes('spec'),
  countsDroppedFields: true,
  prepareForCreate: (slice, context) => prepareDevices(slice, undefined, context),
  prepareForUpdate: (slice, old, context) => prepareDevices(slice, old, context),
  validate: (slice) => checkSlice(slice),
  warnings({ spec: { driver = '' } }) {
    if (driver === driver.toLowerCase()) return [];
    const shown = quoteGo(driver);
    return [`spec.driver: driver names should be lowercase; ${shown} contains uppercase characters`];
  },
  validateUpdate: (slice, old) => checkSlice(slice, old),
  selectable: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver,
  },
});

function prepareDevices(slice: Slice, old: Slice | undefined, { now }: WriteContext): void {
  const devices = slice.spec.devices ?? undefined; // null until 1.34, where a slice has only counters
  if (devices === undefined) return;
  const keepsLists = (old?.spec.devices ?? []).some(hasListAttributes);
  const keepsMappings = (old?.spec.devices ?? []).some(
    (device) => device.nodeAllocatableResourceMappings !== undefined,
  );
  slice.spec = {
    ...slice.spec,
    devices: devices.map((device) => {
      const dated = withTaintTimes(device, now);
      const plain = keepsLists || !hasListAttributes(dated) ? dated : withoutListAttributes(dated);
      if (keepsMappings || plain.nodeAllocatableResourceMappings === undefined) return plain;
      const { nodeAllocatableResourceMappings: _, ...rest } = plain;
      return rest;
    }),
  };
}

/** A taint starts when it was added. */
function withTaintTimes(device: Device, now: number): Device {
  if (device.taints === undefined || device.taints.every(({ timeAdded }) => timeAdded !== undefined)) return device;
  const timeAdded = formatTime(instantOfMillis(now));
  return { ...device, taints: device.taints.map((taint) => ({ ...taint, timeAdded: taint.timeAdded ?? timeAdded })) };
}

/** List attributes are a feature that is off by default. */
const LISTS = ['ints', 'bools', 'strings', 'versions'] as const;

function hasListAttributes({ attributes }: Device): boolean {
  return Object.values(attributes ?? {}).some((attribute) => LISTS.some((name) => attribute[name] !== undefined));
}

function withoutListAttributes(device: Device): Device {
  const attributes = Object.entries(device.attributes ?? {}).map(([name, attribute]) => {
    const { ints: _1, bools: _2, strings: _3, versions: _4, ...rest } = attribute;
    return [name, rest];
  });
  return { ...device, attributes: Object.fromEntries(attributes) as Device['attributes'] };
}
