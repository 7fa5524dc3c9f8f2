import type { ConfigMap } from '../../api/types/core/v1.d.ts';
import { ageColumn, column, countOf, nameColumn } from '../columns/column.ts';
import { defineKind } from '../kind.ts';
import { checkConfigMap, checkConfigMapUpdate } from './configmap-rules.ts';

export const configMaps = defineKind<ConfigMap>({
  group: '',
  plural: 'configmaps',
  columns: [
    nameColumn,
    column('Data', 'How many entries it has', ({ data, binaryData }) => countOf(data) + countOf(binaryData)),
    ageColumn,
  ],
  validate: checkConfigMap,
  validateUpdate: checkConfigMapUpdate,
});
