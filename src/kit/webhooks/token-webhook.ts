import { type WebhookContext, type WebhookHandler, WebhookRequestError } from './webhook-handler.ts';

/** The user that a token belongs to. */
export interface TokenUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  /** More about the user; keys are like `acme.io/tenant`. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  /** The token's audiences among the requested ones; default all of them. */
  readonly audiences?: readonly string[];
}

export interface TokenWebhookContext extends WebhookContext {
  /** The audiences that the token must have: the API server's, unless it forwards a client's TokenReview. */
  readonly audiences: readonly string[];
}

/** Identifies the user of a token; undefined for an unknown token. Throwing refuses it with the error's message. */
export type IdentifyToken = (
  token: string,
  context: TokenWebhookContext,
) => TokenUser | undefined | Promise<TokenUser | undefined>;

const REVIEW_VERSIONS: readonly unknown[] = ['authentication.k8s.io/v1', 'authentication.k8s.io/v1beta1'];

/** Answers TokenReviews, v1 and v1beta1, with the users that a function returns. */
export function tokenWebhook(identify: IdentifyToken): WebhookHandler {
  return async (review, context) => {
    const { apiVersion, token, audiences } = readReview(review);
    const kind = 'TokenReview';
    try {
      const user = await identify(token, { ...context, audiences });
      return { apiVersion, kind, status: user === undefined ? { authenticated: false } : known(user, audiences) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { apiVersion, kind, status: { authenticated: false, error: message || 'the token is not accepted' } };
    }
  };
}

function known({ name, uid, groups, extra, audiences }: TokenUser, asked: readonly string[]): object {
  const fitting = audiences === undefined ? asked : asked.filter((audience) => audiences.includes(audience));
  if (audiences !== undefined && asked.length > 0 && fitting.length === 0) return { authenticated: false };
  return { authenticated: true, user: { username: name, uid, groups, extra }, audiences: fitting };
}

function readReview(review: unknown): { apiVersion: string; token: string; audiences: readonly string[] } {
  const { apiVersion, kind, spec } = fieldsOf(review);
  if (kind !== 'TokenReview' || !REVIEW_VERSIONS.includes(apiVersion)) {
    const got = `${JSON.stringify(apiVersion)} ${JSON.stringify(kind)}`;
    throw new WebhookRequestError(400, `expected a TokenReview of ${REVIEW_VERSIONS.join(' or ')}, got ${got}`);
  }
  const { token, audiences = [] } = fieldsOf(spec);
  if (typeof token !== 'string' || token === '') throw new WebhookRequestError(400, 'spec needs a token');
  if (!Array.isArray(audiences) || !audiences.every((audience) => typeof audience === 'string'))
    throw new WebhookRequestError(400, 'spec.audiences must be a list of strings');
  return { apiVersion: apiVersion as string, token, audiences };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
