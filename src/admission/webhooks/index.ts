// What the rest of admission may use: webhooks.
export { isConfiguration } from './exempt.ts';
export { admissionWebhooks, type AdmissionWebhookOptions, type AdmissionWebhooks } from './admission-webhooks.ts';
