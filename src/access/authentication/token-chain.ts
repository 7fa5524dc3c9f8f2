import type { UserInfo } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import { refused, type TokenAuthenticator, type TokenFinding, type TokenQuestion } from './token-authenticator.ts';

/** What is said of a token first, since upstream asks for its own token before any other. */
const NOBODYS = 'invalid bearer token';

/** Asks one authenticator after the other until one knows the token; else all that was wrong with it is told. */
export class TokenChain implements TokenAuthenticator {
  readonly #authenticators: readonly TokenAuthenticator[];

  constructor(authenticators: readonly TokenAuthenticator[]) {
    this.#authenticators = authenticators;
  }

  /** Without a promise where the first that is asked knows the token at once: that is most requests. */
  authenticate(token: string, question: TokenQuestion): TokenFinding | Promise<TokenFinding> {
    const [first] = this.#authenticators;
    if (first === undefined) return refused(NOBODYS);
    const asked = ask(first, token, question);
    return !(asked instanceof Promise) && asked.type === 'known' ? asked : this.#askAll(asked, token, question);
  }

  async #askAll(
    first: TokenFinding | Promise<TokenFinding>,
    token: string,
    question: TokenQuestion,
  ): Promise<TokenFinding> {
    const errors = new Set([NOBODYS]);
    for (const [place, authenticator] of this.#authenticators.entries()) {
      const finding = await (place === 0 ? first : ask(authenticator, token, question));
      if (finding.type === 'known') return finding;
      if (finding.type === 'refused') errors.add(finding.error);
    }
    return refused(errors.size === 1 ? [...errors].join() : `[${[...errors].join(', ')}]`);
  }
}

/** One that fails does not keep the others from being asked. */
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

/** Answers TokenReviews from the tokens that requests may show. */
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
        return { ok: false, error: NOBODYS };
    }
  }
}

type Review =
  | { readonly ok: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly ok: false; readonly error: string };
