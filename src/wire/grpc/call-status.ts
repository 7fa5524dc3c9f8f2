import { constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { GrpcError, STATUS_NAMES, type StatusName } from './grpc-error.ts';
import { decodeMessage, fromHeaders } from './metadata.ts';

const GRPC_CONTENT = 'application/grpc';

/** What a server's headers or trailers say about how the call ended; `undefined` for OK. */
export function failureIn(headers: IncomingHttpHeaders): GrpcError | undefined {
  const number = Number(headers['grpc-status']);
  if (number === 0) return undefined;
  const code = STATUS_NAMES[number] ?? 'UNKNOWN';
  const message = headers['grpc-message'];
  const text = typeof message === 'string' && message !== '' ? decodeMessage(message) : `The server answered ${code}`;
  return new GrpcError(code, text, { metadata: fromHeaders(headers) });
}

/** A server, or something in between, that answers in plain HTTP. */
export function notGrpc(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): GrpcError | undefined {
  const status = headers[':status'] ?? 0;
  const contentType = headers['content-type'] ?? '';
  if (status === 200 && contentType.startsWith(GRPC_CONTENT)) return undefined;
  const what = `HTTP status ${status}, content type ${JSON.stringify(contentType)}`;
  return new GrpcError(codeOfHttp(status), `The server did not answer as a gRPC server does: ${what}`);
}

/** As gRPC's "HTTP to gRPC Status Code Mapping" says. */
function codeOfHttp(status: number): StatusName {
  switch (status) {
    case 400:
      return 'INTERNAL';
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'UNIMPLEMENTED';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'UNAVAILABLE';
    default:
      return 'UNKNOWN';
  }
}

/** A stream that ended with its connection. */
export function connectionLost(cause: unknown): GrpcError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new GrpcError('UNAVAILABLE', `The connection was lost${reason}`, { cause });
}

/** A stream that the server reset, or ended without a status. */
export function brokenOff(resetCode: number, cause: unknown): GrpcError {
  switch (resetCode) {
    case constants.NGHTTP2_REFUSED_STREAM:
      return new GrpcError('UNAVAILABLE', 'The server refused the call', { isUnsent: true, cause });
    case constants.NGHTTP2_CANCEL:
      return new GrpcError('CANCELLED', 'The server cancelled the call', { cause });
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
      return new GrpcError('RESOURCE_EXHAUSTED', 'The server asks for fewer calls', { cause });
    case constants.NGHTTP2_INADEQUATE_SECURITY:
      return new GrpcError('PERMISSION_DENIED', 'The connection is not secure enough for the server', { cause });
    case constants.NGHTTP2_NO_ERROR:
      return new GrpcError('UNAVAILABLE', 'The server ended the call without a status', { cause });
    default:
      return new GrpcError('INTERNAL', `The server reset the call with HTTP/2 error ${resetCode}`, { cause });
  }
}
