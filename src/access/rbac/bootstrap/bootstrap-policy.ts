import type { PolicyRule } from '../../../api/types/rbac/v1.d.ts';
import { controllerRoles, migratorRole } from './controller-roles.ts';
import { defaultRoles } from './default-roles.ts';
import { ofController, type PolicyObject, readPolicy } from './read-policy.ts';

/** The roles and bindings of every cluster, as kube-apiserver 1.36 creates them with its default features. */
export function bootstrapPolicy(options: PolicyOptions = {}): readonly PolicyObject[] {
  const roles = controllerRoles + (options.hasMigrations === true ? migratorRole : '');
  return [...readPolicy(defaultRoles), ...readPolicy(roles).flatMap(ofController)];
}

export interface PolicyOptions {
  /** Whether StorageVersionMigrations are served; default false. */
  readonly hasMigrations?: boolean;
}

/** The rules of a bootstrapped cluster role. */
export function bootstrapRules(role: string): readonly PolicyRule[] {
  const found = bootstrapPolicy().find(
    ({ plural, object }) => plural === 'clusterroles' && object.metadata.name === role,
  );
  if (found?.object.rules === undefined) throw new Error(`Cannot find role "${role}": no such role is bootstrapped`);
  return found.object.rules;
}
