import type { Ingress } from '../../api/types/networking/v1.d.ts';
import { ingressColumns } from '../columns/networking-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkIngress, checkIngressUpdate, ingressWarnings } from './ingress-rules.ts';

export const ingresses = defineKind<Ingress>({
  group: 'networking.k8s.io',
  plural: 'ingresses',
  columns: ingressColumns,
  folder: 'ingress',
  raisesGeneration: changes('spec'),
  validate: (ingress) => checkIngress(ingress, { isNew: true }),
  validateUpdate: checkIngressUpdate,
  warnings: ingressWarnings,
});
