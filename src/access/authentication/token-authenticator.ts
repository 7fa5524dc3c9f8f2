import type { TraceStep, UserInfo } from '../../apiserver/index.ts';

/** One way to find out whose a bearer token is. */
export interface TokenAuthenticator {
  /** What it is called in traces of requests. */
  readonly name?: string;
  authenticate(token: string, question: TokenQuestion): TokenFinding | Promise<TokenFinding>;
}

export interface TokenQuestion {
  /** A token for other audiences than these is refused. */
  readonly audiences: readonly string[];
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Where it is noted what each authenticator says, if it is. */
  readonly step?: TraceStep | undefined;
}

export type TokenFinding =
  | {
      readonly type: 'known';
      readonly user: UserInfo;
      /** Those of the audiences asked for that the token is for; absent when tokens of this kind are for everybody. */
      readonly audiences?: readonly string[];
      readonly notes?: TokenNotes;
    }
  /** Not a token of this kind, or none that was ever issued. */
  | { readonly type: 'unknown' }
  /** A token of this kind that does not count; the error is shown to whoever asks for a review, and never quotes a token. */
  | { readonly type: 'refused'; readonly error: string };

/** What the use of a token has to be told to others than its bearer. */
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
