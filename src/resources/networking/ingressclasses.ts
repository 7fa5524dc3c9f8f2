import type { IngressClass } from '../../api/types/networking/v1.d.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { checkIngressClass } from './ingressclass-rules.ts';

export const ingressClasses = defineKind<IngressClass>({
  group: 'networking.k8s.io',
  plural: 'ingressclasses',
  raisesGeneration: changes('spec'),
  validate: checkIngressClass,
});
