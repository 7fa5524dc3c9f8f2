// A gRPC client over node:http2: what its users need.
export { type Address, formatAddress, parseAddress } from './address.ts';
export type { CallOptions } from './call.ts';
export { Channel, type ChannelOptions, type WaitOptions } from './channel.ts';
export type { Connection } from './connection.ts';
export type { TlsCredentials, TlsSource } from './credentials.ts';
export type { DuplexCall } from './duplex-call.ts';
export { GrpcError, isGrpcError, type StatusName } from './grpc-error.ts';
export type { Metadata } from './metadata.ts';
