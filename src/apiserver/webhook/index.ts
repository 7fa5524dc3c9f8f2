// What the rest of the server may use: calling webhooks.
export { type ReadReview, readReview, type ReviewKinds } from './read-answer.ts';
export { EndpointResolver, type ServiceResolver } from './service-resolver.ts';
export type { WebhookAnswer } from './webhook-answer.ts';
export { type WebhookCall, WebhookClient } from './webhook-client.ts';
export type { LocalWebhook, WebhookClientOptions, WebhookCredential } from './webhook-client-options.ts';
export { DeadlineExceeded } from '../../wire/http/index.ts';
export { transportErrorText } from './transport-error-text.ts';
export type { WebhookService, WebhookTarget } from './webhook-target.ts';
export {
  type ConfiguredWebhook,
  readWebhookKubeconfig,
  WebhookConfigError,
  WebhookUsers,
} from './webhook-kubeconfig.ts';
