import {
  dns1123SubdomainProblems,
  invalidValue,
  notSupported,
  pathSegmentNameProblems,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from '../../api/types/rbac/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, each, nameColumn, wide } from '../columns/column.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';
import { guarded } from './guarded-writes.ts';

/** For RoleBindings and ClusterRoleBindings. */
const roleBindingColumns: readonly Column<Binding>[] = [
  nameColumn,
  column('Role', 'Kind and name of the role', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn,
  wide('Users', 'Users who have the role', (binding) => subjects(binding, 'User')),
  wide('Groups', 'Groups that have the role', (binding) => subjects(binding, 'Group')),
  wide('ServiceAccounts', 'Service accounts that have the role', (binding) => subjects(binding, 'ServiceAccount')),
];

const GROUP = 'rbac.authorization.k8s.io';
const OWN_RULES = ['roleRef', 'roleRef.apiGroup', 'roleRef.kind', 'roleRef.name', 'subjects.name', 'subjects.kind'];

export function roleBindings({ roleGuard }: KindEnvironment): Kind {
  return defineKind<RoleBinding>({
    changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
    group: GROUP,
    plural: 'rolebindings',
    columns: roleBindingColumns,
    checkName: pathSegmentName,
    createOnUpdate: true,
    applyDefaults: ({ subjects }) => defaultSubjects(subjects),
    ...guarded<RoleBinding>((binding, write) => roleGuard?.checkBinding(binding, write)),
    ownRulesFor: OWN_RULES,
    validate: checkRoleBinding,
    validateChange: checkSameRole,
  });
}

export function clusterRoleBindings({ roleGuard }: KindEnvironment): Kind {
  return defineKind<ClusterRoleBinding>({
    changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
    group: GROUP,
    plural: 'clusterrolebindings',
    columns: roleBindingColumns,
    checkName: pathSegmentName,
    createOnUpdate: true,
    applyDefaults: ({ subjects }) => defaultSubjects(subjects),
    ...guarded<ClusterRoleBinding>((binding, write) => roleGuard?.checkBinding(binding, write)),
    ownRulesFor: OWN_RULES,
    validate: checkClusterRoleBinding,
    validateChange: checkSameRole,
  });
}

/** Users and groups belong to the rbac group; service accounts to the core group. */
function defaultSubjects(subjects: Subject[] | undefined): void {
  for (const subject of subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= GROUP;
  }
}

function checkRoleBinding({ roleRef, subjects = [] }: RoleBinding): FieldError[] {
  return [
    ...checkRoleRef(roleRef, ['Role', 'ClusterRole']),
    ...subjects.flatMap((subject, index) => checkSubject(subject, `subjects[${index}]`, { namespaced: true })),
  ];
}

function checkClusterRoleBinding({ roleRef, subjects = [] }: ClusterRoleBinding): FieldError[] {
  return [
    ...checkRoleRef(roleRef, ['ClusterRole']),
    ...subjects.flatMap((subject, index) => checkSubject(subject, `subjects[${index}]`, { namespaced: false })),
  ];
}

function checkRoleRef({ apiGroup = '', kind, name }: RoleRef, kinds: readonly string[]): FieldError[] {
  return [
    ...(apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name === ''
      ? [required('roleRef.name')]
      : pathSegmentNameProblems(name).map((problem) => invalidValue('roleRef.name', name, problem))),
  ];
}

function checkSubject(subject: Subject, field: string, { namespaced }: { readonly namespaced: boolean }): FieldError[] {
  const { kind, name, apiGroup = '', namespace = '' } = subject;
  const errors = name === '' ? [required(`${field}.name`)] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') {
        errors.push(...dns1123SubdomainProblems(name).map((problem) => invalidValue(`${field}.name`, name, problem)));
      }
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      if (!namespaced && namespace === '') errors.push(required(`${field}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      if (apiGroup !== GROUP) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [GROUP]));
      return errors;
    default:
      return [...errors, notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

/** The subjects of a binding may change, its role may not. */
function checkSameRole(binding: { readonly roleRef: RoleRef }, old: { readonly roleRef: RoleRef }): FieldError[] {
  return deepEqual(binding.roleRef, old.roleRef)
    ? []
    : [invalidValue('roleRef', printed(binding.roleRef), 'cannot change roleRef')];
}

/** As upstream prints its unversioned type. */
function printed({ apiGroup = '', kind, name }: RoleRef): unknown {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

type Binding = RoleBinding | ClusterRoleBinding;

function subjects(binding: Binding, wanted: string): string {
  return each(binding.subjects)
    .filter(({ kind }) => kind === wanted)
    .map(({ namespace, name }) => (wanted === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ');
}
