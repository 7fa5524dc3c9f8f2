// What other folders may use: the server side of HTTP/2, on a socket that has negotiated it.
export { ServerConnection, type ServerConnectionOptions } from './server-connection.ts';
export { CODE } from './protocol.ts';
export type { AnswerHead, ServerStream } from './server-stream.ts';
export { type BodySink, BrokenOffError } from './stream-input.ts';
export type { RequestHeaders } from './request-headers.ts';
export { WriteBuffer } from './write-buffer.ts';
