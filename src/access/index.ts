// What other folders may use: who asks, and whom they may act as.
export {
  Authentication,
  type AuthenticationOptions,
  type AuthenticationParts,
  type ServiceAccountTokenOptions,
} from './authentication/authentication.ts';
export { type FrontProxyOptions, STANDARD_PROXY_HEADERS } from './authentication/front-proxy.ts';
export { impersonate } from './impersonation/impersonate.ts';
