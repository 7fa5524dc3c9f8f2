import type { ClusterRoleBinding, RoleBinding, Subject } from '../../api/types/rbac/v1.d.ts';
import { roleBindingColumns } from '../columns/access-columns.ts';
import { defineKind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';
import { checkClusterRoleBinding, checkRoleBinding, checkSameRole } from './rolebinding-rules.ts';

const GROUP = 'rbac.authorization.k8s.io';
const JUDGED = ['roleRef', 'roleRef.apiGroup', 'roleRef.kind', 'roleRef.name', 'subjects.name', 'subjects.kind'];

export const roleBindings = defineKind<RoleBinding>({
  group: GROUP,
  plural: 'rolebindings',
  columns: roleBindingColumns,
  checkName: pathSegmentName,
  createOnUpdate: true,
  applyDefaults: ({ subjects }) => defaultSubjects(subjects),
  judges: JUDGED,
  validate: checkRoleBinding,
  validateUpdate: (binding, old) => [...checkRoleBinding(binding), ...checkSameRole(binding, old)],
});

export const clusterRoleBindings = defineKind<ClusterRoleBinding>({
  group: GROUP,
  plural: 'clusterrolebindings',
  columns: roleBindingColumns,
  checkName: pathSegmentName,
  createOnUpdate: true,
  applyDefaults: ({ subjects }) => defaultSubjects(subjects),
  judges: JUDGED,
  validate: checkClusterRoleBinding,
  validateUpdate: (binding, old) => [...checkClusterRoleBinding(binding), ...checkSameRole(binding, old)],
});

/** Users and groups are names of the access API itself; service accounts are objects of the core. */
function defaultSubjects(subjects: Subject[] | undefined): void {
  for (const subject of subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= GROUP;
  }
}
