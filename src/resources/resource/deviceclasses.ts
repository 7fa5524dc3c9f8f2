import type { DeviceClass } from '../../api/types/resource/v1.d.ts';
import { changes } from '../change.ts';
import { ageColumn, nameColumn } from '../columns/column.ts';
import { defineKind } from '../kind.ts';
import { checkDeviceClass } from './device-rules.ts';
import { deprecatedVersions, GROUP } from './versions.ts';

export const deviceClasses = defineKind<DeviceClass>({
  group: GROUP,
  plural: 'deviceclasses',
  columns: [nameColumn, ageColumn],
  deprecations: deprecatedVersions('DeviceClass'),
  returnsDeletedObject: true,
  raisesGeneration: changes('spec'),
  validate: checkDeviceClass,
});
