import { dns1123LabelProblems, forbiddenField, invalidValue, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { IngressClass } from '../../api/types/networking/v1.d.ts';
import type { Whole } from '../kind.ts';

/** Parameters are in a namespace or are not, as their scope says. */
export function checkIngressClass({ spec }: Whole<IngressClass>): FieldError[] {
  const { scope, namespace } = spec.parameters ?? {};
  const field = 'spec.parameters.namespace';
  if (scope === 'Namespace') {
    if (namespace === undefined) return [required(field, "`parameters.scope` is set to 'Namespace'")];
    return dns1123LabelProblems(namespace).map((problem) => invalidValue(field, namespace, problem));
  }
  if (scope !== 'Cluster' || namespace === undefined) return [];
  return [forbiddenField(field, "`parameters.scope` is set to 'Cluster'")];
}
