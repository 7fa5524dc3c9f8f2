// What other folders may use: ports for HTTP/1.1, TLS and HTTP/2, with limits, replaceable certificates and an orderly shutdown.
export type { ConnectionLimits } from './connection-gate.ts';
export { type Http1Handlers, Listener, type ListenerLimits, type ListenerOptions } from './listener.ts';
export {
  answerPlainHttp,
  type ListenerEnd,
  type ServingCertificate,
  type TlsIdentity,
  TlsListener,
  type TlsListenerLimits,
  type TlsListenerOptions,
} from './tls-listener.ts';
