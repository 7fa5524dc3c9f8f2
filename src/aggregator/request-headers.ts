import { type Call, endToEndHeaders, type ForwardedHeaders } from '../apiserver/index.ts';
import { identityHeaders, isIdentityHeader } from './identity-headers.ts';

/** The headers of a request forwarded to another API server, including the user's identity. */
export function forwardedHeaders(call: Call, backend: { readonly host: string }, path: string): ForwardedHeaders {
  const { host: _, ...sent } = endToEndHeaders(call.request);
  const headers = Object.entries(sent).filter(([name]) => !isIdentityHeader(name));
  return {
    ...Object.fromEntries(headers),
    'audit-id': call.record.auditId,
    'x-forwarded-uri': path,
    'x-forwarded-host': backend.host,
    'x-forwarded-proto': 'https',
    ...identityHeaders(call.principal.user),
  };
}
