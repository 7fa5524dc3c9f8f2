// The HTTP transport.
export { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
