import { dns1123SubdomainProblems, invalidValue, notSupported, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from '../../api/types/rbac/v1.d.ts';
import { deepEqual } from '../../base/index.ts';

const GROUP = 'rbac.authorization.k8s.io';

export function checkRoleBinding({ subjects = [] }: RoleBinding): FieldError[] {
  return subjects.flatMap((subject, index) => checkSubject(subject, `subjects[${index}]`, { namespaced: true }));
}

export function checkClusterRoleBinding({ roleRef, subjects = [] }: ClusterRoleBinding): FieldError[] {
  return [
    ...(roleRef.kind === 'Role' ? [notSupported('roleRef.kind', roleRef.kind, ['ClusterRole'])] : []),
    ...subjects.flatMap((subject, index) => checkSubject(subject, `subjects[${index}]`, { namespaced: false })),
  ];
}

function checkSubject(subject: Subject, field: string, { namespaced }: { readonly namespaced: boolean }): FieldError[] {
  const { kind, name, apiGroup = '', namespace = '' } = subject;
  if (kind === 'User' || kind === 'Group') {
    return apiGroup === GROUP ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [GROUP])];
  }
  if (kind !== 'ServiceAccount') return []; // the type says which kinds there are
  return [
    ...(name === '' ? [] : dns1123SubdomainProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem))),
    ...(apiGroup === '' ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [''])]),
    ...(!namespaced && namespace === '' ? [required(`${field}.namespace`)] : []),
  ];
}

/** Who is bound may change, to what may not: another role is another binding. */
export function checkSameRole(binding: { readonly roleRef: RoleRef }, old: { readonly roleRef: RoleRef }): FieldError[] {
  return deepEqual(binding.roleRef, old.roleRef)
    ? []
    : [invalidValue('roleRef', printed(binding.roleRef), 'cannot change roleRef')];
}

/** As upstream prints its unversioned type. */
function printed({ apiGroup = '', kind, name }: RoleRef): unknown {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}
