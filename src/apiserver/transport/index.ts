// What other folders may use: serving the API over HTTPS, and calling it within the process.
export { listen, type ListenOptions } from './listen.ts';
export type { HttpTransport } from './http-transport.ts';
export type { ServingCertificate } from '../../wire/listen/index.ts';
export type { RenewedCertificates } from './http-transport.ts';
export {
  DEFAULT_TRANSPORT_LIMITS,
  type TransportLimitOptions,
  type TransportLimits,
  transportLimits,
} from './limits.ts';
export type { Protocol, SentAnswer, TransportObserver } from './observer.ts';
export type { RequestHandler } from './request-handler.ts';
export { inProcessCall, type InProcessCall, type InProcessRequest } from './in-process-call.ts';
