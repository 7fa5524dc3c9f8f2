// What the rest of admission may use: the image policy webhook.
export { type ImagePolicyParts, imagePolicyWebhook } from './image-policy-webhook.ts';
