import type { ConfigMap } from '../../api/types/core/v1.d.ts';
import { defineKind } from '../kind.ts';
import { checkConfigMap, checkConfigMapUpdate } from './configmap-rules.ts';

export const configMaps = defineKind<ConfigMap>({
  group: '',
  plural: 'configmaps',
  validate: checkConfigMap,
  validateUpdate: checkConfigMapUpdate,
});
