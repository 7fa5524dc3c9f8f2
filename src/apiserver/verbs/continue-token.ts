import { badRequest, DecodeError, JsonBody } from '../../api/index.ts';
import type { Revision } from '../../store/index.ts';

/** Where a paged list goes on: at this key, in the store as of this revision. */
export interface ContinueToken {
  readonly revision: Revision;
  readonly from: string;
}

/** The token's form is Kubernetes' own, so that a client may start on one server and go on at another. */
export function encodeContinue(token: ContinueToken, prefix: string): string {
  const start = token.from.slice(prefix.length);
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: token.revision, start })).toString('base64url');
}

/** `prefix` is the collection's key prefix; keys outside of it cannot be reached with a forged token. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  const { v, rv, start } = parse(text);
  if (v !== 'meta.k8s.io/v1') throw invalidToken(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== 'number' || rv === 0)
    throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '')
    throw invalidToken('encoded start key is empty (version meta.k8s.io/v1)');
  const isPlain = !start.split('/').some((part) => part === '.' || part === '..' || part === '');
  if (!isPlain) throw invalidToken(start);
  return { revision: rv, from: prefix + start };
}

function parse(text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  const misfit = text.search(/[^\w\r\n-]/);
  if (misfit >= 0) throw invalidToken(`illegal base64 data at input byte ${misfit}`);
  try {
    const value: unknown = new JsonBody(Buffer.from(text, 'base64url')).takeValue();
    return typeof value === 'object' && value !== null ? value : {};
  } catch (cause) {
    if (cause instanceof DecodeError) throw invalidToken(cause.message);
    throw cause;
  }
}

function invalidToken(why: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
