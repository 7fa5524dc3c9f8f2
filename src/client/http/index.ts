// Requests over the network.
export { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
