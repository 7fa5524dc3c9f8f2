import type { UserInfo } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import { refused, type TokenAuthenticator, type TokenFinding, type TokenQuestion } from './token-authenticator.ts';

/** The first error about an unknown token: upstream first tries its own token, and this is the error of that attempt. */
const INVALID_TOKEN = 'invalid bearer token';

/** Asks one authenticator after the other until one knows the token; when none does, the error lists all their reasons. */
export class TokenChain implements TokenAuthenticator {
  readonly #authenticators: readonly TokenAuthenticator[];

  constructor(authenticators: readonly TokenAuthenticator[]) {
    this.#authenticators = authenticators;
  }

  /** Returns a promise only when the first authenticator does not know the token at once, which is rare. */
  authenticate(token: string, question: TokenQuestion): TokenFinding | Promise<TokenFinding> {
    const [first] = this.#authenticators;
    if (first === undefined) return refused(INVALID_TOKEN);
    const asked = ask(first, token, question);
    return !(asked instanceof Promise) && asked.type === 'known' ? asked : this.#askAll(asked, token, question);
  }

  async #askAll(
    first: TokenFinding | Promise<TokenFinding>,
    token: string,
    question: TokenQuestion,
  ): Promise<TokenFinding> {
    const errors = new Set([INVALID_TOKEN]);
    for (const [place, authenticator] of this.#authenticators.entries()) {
      const finding = await (place === 0 ? first : ask(authenticator, token, question));
      if (finding.type === 'known') return finding;
      if (finding.type === 'refused') errors.add(finding.error);
    }
    return refused(errors.size === 1 ? [...errors].join() : `[${[...errors].join(', ')}]`);
  }
}

/** When one authenticator throws, the others are still asked. */
function ask(
  authenticator: TokenAuthenticator,
  token: string,
  question: TokenQuestion,
): TokenFinding | Promise<TokenFinding> {
  const step = question.step?.begin(authenticator.name ?? 'other tokens');
  const found = (finding: TokenFinding): TokenFinding => {
    step?.end(finding.type, finding.type === 'refused' ? finding.error : undefined);
    return finding;
  };
  const failed = (error: unknown): TokenFinding => {
    step?.end('failed', messageOf(error));
    return refused(messageOf(error));
  };
  try {
    const asked = authenticator.authenticate(token, question);
    return asked instanceof Promise ? asked.then(found, failed) : found(asked);
  } catch (error) {
    return failed(error);
  }
}

const AUTHENTICATED = 'system:authenticated';

/** Answers TokenReviews with the authenticators of requests. */
export class ChainReviewer {
  readonly apiAudiences: readonly string[];
  readonly #chain: TokenAuthenticator;

  constructor(chain: TokenAuthenticator, apiAudiences: readonly string[]) {
    this.#chain = chain;
    this.apiAudiences = apiAudiences;
  }

  async review(token: string, audiences: readonly string[], signal: AbortSignal): Promise<Review> {
    const finding = await this.#chain.authenticate(token, { audiences, signal });
    switch (finding.type) {
      case 'known': {
        const { groups } = finding.user;
        const isComplete = groups.includes(AUTHENTICATED);
        const user = isComplete ? finding.user : { ...finding.user, groups: [...groups, AUTHENTICATED] };
        return { ok: true, user, audiences: finding.audiences ?? audiences };
      }
      case 'refused':
        return { ok: false, error: finding.error };
      case 'unknown':
        return { ok: false, error: INVALID_TOKEN };
    }
  }
}

type Review =
  | { readonly ok: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly ok: false; readonly error: string };
