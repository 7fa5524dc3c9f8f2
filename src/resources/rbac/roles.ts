import type { ClusterRole, Role } from '../../api/types/rbac/v1.d.ts';
import { defineKind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';
import { checkClusterRole, checkRole } from './role-rules.ts';

const GROUP = 'rbac.authorization.k8s.io';

export const roles = defineKind<Role>({
  group: GROUP,
  plural: 'roles',
  checkName: pathSegmentName,
  createOnUpdate: true,
  judges: ['rules.verbs'],
  validate: checkRole,
});

export const clusterRoles = defineKind<ClusterRole>({
  group: GROUP,
  plural: 'clusterroles',
  checkName: pathSegmentName,
  createOnUpdate: true,
  judges: ['rules.verbs'],
  validate: checkClusterRole,
});
