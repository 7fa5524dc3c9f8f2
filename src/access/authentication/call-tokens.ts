import { type Authenticator, inProcessCall } from '../../apiserver/index.ts';
import type { Clock } from '../../base/index.ts';
import {
  refused,
  type TokenAuthenticator,
  type TokenFinding,
  type TokenQuestion,
  UNKNOWN,
} from './token-authenticator.ts';

/** Authenticates a token with an embedder's authenticators, by showing them a request with only that token. */
export class CallTokens implements TokenAuthenticator {
  readonly #authenticators: readonly Authenticator[];
  readonly #clock: Clock;

  constructor(authenticators: readonly Authenticator[], clock: Clock) {
    this.#authenticators = authenticators;
    this.#clock = clock;
  }

  async authenticate(token: string, { signal }: TokenQuestion): Promise<TokenFinding> {
    const headers = { authorization: `Bearer ${token}` };
    const call = inProcessCall({ method: 'GET', path: '/', headers, clock: this.#clock, signal });
    let wasWrong = false;
    for (const authenticator of this.#authenticators) {
      const user = await authenticator.authenticate(call);
      if (user === 'invalid') wasWrong = true;
      else if (user !== undefined) return { type: 'known', user };
    }
    return wasWrong ? refused('invalid bearer token') : UNKNOWN;
  }
}
