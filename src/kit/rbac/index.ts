// What the rest of the kit may use: the rights that apps need.
export { type AccessNeed, readNeed, writeNeed } from './access-need.ts';
export { type AppRoles, rbacOf, type RbacOptions } from './rbac-of.ts';
