import type { IngressClass } from '../../api/types/networking/v1.d.ts';
import { ingressClassColumns } from '../columns/networking-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkIngressClass } from './ingressclass-rules.ts';

export const ingressClasses = defineKind<IngressClass>({
  group: 'networking.k8s.io',
  plural: 'ingressclasses',
  columns: ingressClassColumns,
  raisesGeneration: changes('spec'),
  validate: checkIngressClass,
});
