// What the rest of the kit may use: serving webhooks.
export {
  admission,
  type AdmissionContext,
  type AdmissionOptions,
  type AdmissionRule,
  type AdmissionUser,
  type Admitted,
  type KindAdmission,
} from './admission.ts';
export type { AdmissionOperation } from './admission-review.ts';
export { AdmissionServer, admissionServer, type AdmissionServerOptions } from './admission-server.ts';
export {
  type AccessAnswer,
  type AccessQuestion,
  type AccessVerdict,
  authorizationWebhook,
  type DecideAccess,
} from './authorization-webhook.ts';
export { conversionHandler, type ConvertibleObject, type ConvertObject } from './conversion-handler.ts';
export type { LocalWebhooks } from './local-webhooks.ts';
export { type ImagesToReview, imagePolicy, type ImagePolicyOptions, type ImageVerdict } from './image-policy.ts';
export type { ServingCertificate } from './serving-certificate.ts';
export type { ServiceReference } from './https-listener.ts';
export { frontProxy, FrontProxy, type FrontProxyOptions, type ProxyTarget } from './front-proxy.ts';
export { type IdentifyToken, type TokenUser, tokenWebhook, type TokenWebhookContext } from './token-webhook.ts';
export { type WebhookContext, type WebhookHandler, WebhookRequestError } from './webhook-handler.ts';
export {
  type HandlerPlace,
  type WebhookAddress,
  type WebhookClientConfig,
  WebhookServer,
  webhookServer,
  type WebhookServerOptions,
} from './webhook-server.ts';
export { SHARED_AUTHORITY_NEED } from './shared-authority.ts';
