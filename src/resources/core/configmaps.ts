import type { ConfigMap } from '../../api/types/core/v1.d.ts';
import { configMapColumns } from '../columns/core-columns.ts';
import { defineKind } from '../kind.ts';
import { checkConfigMap, checkConfigMapUpdate } from './configmap-rules.ts';

export const configMaps = defineKind<ConfigMap>({
  group: '',
  plural: 'configmaps',
  columns: configMapColumns,
  validate: checkConfigMap,
  validateUpdate: checkConfigMapUpdate,
});
