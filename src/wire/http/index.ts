// What other folders may use: requests over HTTP/2 and HTTP/1.1, through proxies and unix sockets, and upgraded connections.
export {
  checkProxyUrl,
  type ClientCertificate,
  dial,
  type DialAddress,
  type Dialer,
  type DialOptions,
  type DialTarget,
} from './dial.ts';
export { judgedBy } from './judged-by.ts';
export { streamDialer } from './stream-dialer.ts';
export { gunzipped, type HttpExchange, type HttpRequest, type ResponseHeaders } from './http-exchange.ts';
export { HttpClient, type HttpClientOptions } from './http-client.ts';
export type { UpgradedConnection } from './http1-requests.ts';
export { type Http2SessionOptions, openHttp2 } from './http2-session.ts';
export { isTransportError, TransportError, type TransportFailure } from './transport-error.ts';
export { certificateProblem } from './certificate-words.ts';
export { DeadlineExceeded, goTransportWords } from './transport-words.ts';
