import type { Ingress, IngressClass } from '../../api/types/networking/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { newestDefault } from './newest-default.ts';
import { isCreateOf, setSpec, writtenObject } from './written-object.ts';

const IS_DEFAULT = ['ingressclass.kubernetes.io/is-default-class'];
/** The annotation that held the class of an Ingress before the field existed. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Sets the default class on Ingresses without one. */
export function defaultIngressClass({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const classes = objects.of<IngressClass>('networking.k8s.io', 'ingressclasses');
  return {
    name: 'DefaultIngressClass',
    handles: (target) => isCreateOf(target, { group: 'networking.k8s.io', plural: 'ingresses' }),
    async mutate(request) {
      const { metadata, spec } = writtenObject<Ingress>(request);
      if (spec.ingressClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return;
      const found = newestDefault(await classes.list(), IS_DEFAULT);
      if (found !== undefined) setSpec(request, { ingressClassName: found.metadata?.name, ...spec });
    },
  };
}
