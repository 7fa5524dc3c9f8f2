// What the rest of admission may use: webhooks.
export { isConfiguration } from './exempt.ts';
export { ReviewPaths } from './review-paths.ts';
export { type KeptReview, WebhookReviews } from './webhook-reviews.ts';
export { admissionWebhooks, type AdmissionWebhookOptions, type AdmissionWebhooks } from './admission-webhooks.ts';
