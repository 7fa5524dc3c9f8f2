// What other folders may use: authentication, impersonation, authorization and audit.
export {
  Authentication,
  type AuthenticationOptions,
  type AuthenticationParts,
  type ServiceAccountTokenOptions,
  type TokenWebhookSettings,
} from './authentication/authentication.ts';
export { type FrontProxyOptions, STANDARD_PROXY_HEADERS } from './authentication/front-proxy.ts';
export { impersonate } from './impersonation/impersonate.ts';
export { ImpersonationMetrics } from './impersonation/impersonation-metrics.ts';
export { ReviewWebhook, type ReviewWebhookOptions } from './review-webhook/review-webhook.ts';
export {
  type ConfiguredWebhook,
  readWebhookKubeconfig,
  WebhookConfigError,
} from './review-webhook/webhook-kubeconfig.ts';
export {
  AuthenticationConfigError,
  type AuthenticationConfiguration,
  type JwtConfiguration,
} from './authentication/oidc/configuration.ts';
export { type ConfiguredAuthentication, readConfigurationFile } from './authentication/oidc/configured-issuers.ts';
export { oidcConfiguration, type OidcFlags } from './authentication/oidc/oidc-flags.ts';
export { amendPolicy, type PolicyAmendment } from './rbac/bootstrap/amend-policy.ts';
export { bootstrapPolicy } from './rbac/bootstrap/bootstrap-policy.ts';
export type { PolicyObject } from './rbac/bootstrap/read-policy.ts';
export { EscalationGuard } from './rbac/escalation-guard.ts';
export {
  authorizationOf,
  type AuthorizationOptions,
  authorizationProblems,
  type AuthorizationWebhookSettings,
  DEFAULT_MODES,
} from './modes.ts';
export type { Authorization, AuthorizationParts } from './authorization/authorization.ts';
export { OwnPrograms } from './authorization/own-programs.ts';
export { AuthorizationConfigError, type ConfiguredAuthorization } from './authorization/configuration.ts';
export { readAuthorizationFile } from './authorization/read-configuration.ts';
export { AuditMetrics } from './audit/audit-metrics.ts';
export type { AuditEvent } from './audit/audit-event.ts';
export {
  type AuditDelivery,
  type AuditLogSettings,
  type AuditOptions,
  auditLogWriter,
  openAudit,
  type OpenAudit,
} from './audit/audit-options.ts';
export { type AuditLevel, type AuditPolicy, AuditPolicyError, readAuditPolicy } from './audit/audit-policy.ts';
export type { AuditSink } from './audit/audit-sink.ts';
export type { LineWriter } from './audit/log-sink.ts';
export { requestLines } from './audit/request-lines.ts';
export { TokenSigner } from './service-accounts/token-signer.ts';
