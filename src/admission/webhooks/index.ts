// What the rest of admission may use: webhooks.
export { isConfiguration } from './exempt.ts';
export { admissionWebhooks, type AdmissionWebhookOptions } from './admission-webhooks.ts';
export { ReviewPaths } from './review-paths.ts';
export { WebhookReviews } from './webhook-reviews.ts';
