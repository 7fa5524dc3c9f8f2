import {
  dns1123LabelProblems,
  domainPrefixedPathProblems,
  forbiddenField,
  invalidValue,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { IngressClass } from '../../api/types/networking/v1.d.ts';
import type { Whole } from '../kind.ts';

/** The controller is a path below its domain; parameters are in a namespace or are not, as their scope says. */
export function checkIngressClass({ spec }: Whole<IngressClass>): FieldError[] {
  return [...checkDomainPath(spec.controller ?? '', 'spec.controller'), ...checkParameters(spec)];
}

function checkDomainPath(path: string, field: string): FieldError[] {
  return domainPrefixedPathProblems(path).map((found) =>
    found.type === 'Required' ? required(field) : invalidValue(field, found.value, found.detail),
  );
}

function checkParameters({ parameters }: Whole<IngressClass>['spec']): FieldError[] {
  const { scope, namespace } = parameters ?? {};
  const field = 'spec.parameters.namespace';
  if (scope === 'Namespace') {
    if (namespace === undefined) return [required(field, "`parameters.scope` is set to 'Namespace'")];
    return dns1123LabelProblems(namespace).map((problem) => invalidValue(field, namespace, problem));
  }
  if (scope !== 'Cluster' || namespace === undefined) return [];
  return [forbiddenField(field, "`parameters.scope` is set to 'Cluster'")];
}
