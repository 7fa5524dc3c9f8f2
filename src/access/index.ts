// What other folders may use: who asks, and whom they may act as.
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
