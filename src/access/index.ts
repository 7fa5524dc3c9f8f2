// What other folders may use: who may do what.
export { amendPolicy, type PolicyAmendment } from './rbac/bootstrap/amend-policy.ts';
export { bootstrapPolicy } from './rbac/bootstrap/bootstrap-policy.ts';
export type { PolicyObject } from './rbac/bootstrap/read-policy.ts';
export { EscalationGuard } from './rbac/escalation-guard.ts';
export { authorizationOf, type AuthorizationOptions, authorizationProblems, DEFAULT_MODES } from './modes.ts';
