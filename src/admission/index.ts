// What other folders may use: admission that is configured by API objects.
export * from './matching/index.ts';
export * from './policies/index.ts';
export * from './webhooks/index.ts';
export * from './image-policy/index.ts';
export { checkPolicyConfiguration } from './static-manifests.ts';
