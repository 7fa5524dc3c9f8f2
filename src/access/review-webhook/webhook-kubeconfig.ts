// What reads the files that name webhooks; admission webhooks have such files too.
export { type ConfiguredWebhook, readWebhookKubeconfig, WebhookConfigError } from '../../apiserver/index.ts';
