// Re-exports the parser of webhooks' kubeconfig files, which admission webhooks use as well.
export { type ConfiguredWebhook, readWebhookKubeconfig, WebhookConfigError } from '../../apiserver/index.ts';
