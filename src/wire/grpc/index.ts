// What other folders may use: gRPC over node:http2, both sides.
export { type Address, formatAddress, parseAddress } from './address.ts';
export type { CallOptions } from './call.ts';
export { Channel, type ChannelOptions, type WaitOptions } from './channel.ts';
export type { Connection } from './connection.ts';
export type { TlsCredentials, TlsSource } from './credentials.ts';
export type { DuplexCall } from './duplex-call.ts';
export { goCodeName, goErrorText, GrpcError, isGrpcError, type StatusName } from './grpc-error.ts';
export type { Metadata } from './metadata.ts';
export { type Codec, type Method, type ServedMethod, streamMethod, unaryMethod } from './method.ts';
export { DEFAULT_GRPC_LIMITS, GrpcServer, type GrpcServerLimits, type GrpcServerOptions } from './server.ts';
export type { ServerCall } from './server-call.ts';
export { removeStaleSocket } from './stale-socket.ts';
export { type SocketCallOptions, SocketCalls, type SocketCallsOptions, UnreadableAnswerError } from './socket-calls.ts';
