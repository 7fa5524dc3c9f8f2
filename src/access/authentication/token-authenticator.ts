import type { TraceStep, UserInfo } from '../../apiserver/index.ts';

/** Authenticates bearer tokens of one kind. */
export interface TokenAuthenticator {
  /** The authenticator's name in traces of requests. */
  readonly name?: string;
  authenticate(token: string, question: TokenQuestion): TokenFinding | Promise<TokenFinding>;
}

export interface TokenQuestion {
  /** A token for other audiences is refused. */
  readonly audiences: readonly string[];
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Where the traced request records what each authenticator answered. */
  readonly step?: TraceStep | undefined;
}

export type TokenFinding =
  | {
      readonly type: 'known';
      readonly user: UserInfo;
      /** Those of the requested audiences that the token is valid for; absent when tokens of this kind have no audience. */
      readonly audiences?: readonly string[];
      readonly notes?: TokenNotes;
    }
  /** Not a token of this kind, or one that was never issued. */
  | { readonly type: 'unknown' }
  /** An invalid token of this kind; the error is shown in TokenReviews, and never quotes the token. */
  | { readonly type: 'refused'; readonly error: string };

/** What else the server records or sends when the token is used. */
export interface TokenNotes {
  /** For the audit log. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** For the client. */
  readonly warnings?: readonly string[];
}

export const UNKNOWN: TokenFinding = { type: 'unknown' };

export function refused(error: string): TokenFinding {
  return { type: 'refused', error };
}
