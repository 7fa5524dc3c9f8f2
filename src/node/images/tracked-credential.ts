import { createHash } from 'node:crypto';
import type { AuthConfig } from '../runtime/index.ts';

/** A credential, and who may use what is pulled with it. */
export interface TrackedCredential {
  readonly auth: AuthConfig;
  readonly source:
    | { readonly type: 'node' }
    | { readonly type: 'secret'; readonly namespace: string; readonly name: string }
    | { readonly type: 'service account'; readonly namespace: string; readonly name: string; readonly uid: string };
}

/** The same credential has the same hash, wherever it comes from. */
export function credentialHash({ username = '', password = '', identityToken = '' }: AuthConfig): string {
  return createHash('sha256').update(JSON.stringify({ username, password, identityToken })).digest('hex');
}
