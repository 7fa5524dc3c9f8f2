import type { DeviceClass } from '../../api/types/resource/v1.d.ts';
import { deviceClassColumns } from '../columns/device-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkDeviceClass } from './device-rules.ts';
import { deprecatedVersions, GROUP } from './versions.ts';

export const deviceClasses = defineKind<DeviceClass>({
  group: GROUP,
  plural: 'deviceclasses',
  columns: deviceClassColumns,
  deprecations: deprecatedVersions('DeviceClass'),
  returnsDeletedObject: true,
  raisesGeneration: changes('spec'),
  validate: checkDeviceClass,
});
