import type { SubjectAccessReviewSpec } from '../../api/types/authorization/v1.d.ts';
import { type WebhookContext, type WebhookHandler, WebhookRequestError } from './webhook-handler.ts';

/** The user and the requested access, from a SubjectAccessReview of v1. */
export interface AccessQuestion {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
  /** The requested access to objects; undefined for a request about a path. */
  readonly resource: Readonly<NonNullable<SubjectAccessReviewSpec['resourceAttributes']>> | undefined;
  /** The requested access to a path that is not a resource. */
  readonly path: Readonly<NonNullable<SubjectAccessReviewSpec['nonResourceAttributes']>> | undefined;
}

/** `noOpinion` leaves the decision to the server's next authorizer. */
export type AccessVerdict = 'allow' | 'deny' | 'noOpinion';

/** A verdict and, for messages and audit logs, the reason. */
export interface AccessAnswer {
  readonly verdict: AccessVerdict;
  readonly reason?: string;
}

/** Decides about one request. Throwing reports the error's message and leaves the decision to the next authorizer. */
export type DecideAccess = (
  question: AccessQuestion,
  context: WebhookContext,
) => AccessVerdict | AccessAnswer | Promise<AccessVerdict | AccessAnswer>;

const REVIEW_VERSIONS: readonly unknown[] = ['authorization.k8s.io/v1', 'authorization.k8s.io/v1beta1'];
const KIND = 'SubjectAccessReview';

/** Answers SubjectAccessReviews, v1 and v1beta1, with the decisions of a function. */
export function authorizationWebhook(decide: DecideAccess): WebhookHandler {
  return async (review, context) => {
    const { apiVersion, question } = readReview(review);
    try {
      const answer = await decide(question, context);
      const { verdict, reason = '' } = typeof answer === 'string' ? { verdict: answer } : answer;
      const status = {
        allowed: verdict === 'allow',
        ...(verdict === 'deny' ? { denied: true } : {}),
        ...(reason === '' ? {} : { reason }),
      };
      return { apiVersion, kind: KIND, status };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { apiVersion, kind: KIND, status: { allowed: false, evaluationError: message } };
    }
  };
}

function readReview(review: unknown): { readonly apiVersion: unknown; readonly question: AccessQuestion } {
  const { apiVersion, kind, spec } = fieldsOf(review);
  if (kind !== KIND || !REVIEW_VERSIONS.includes(apiVersion)) {
    const got = `${JSON.stringify(apiVersion)} ${JSON.stringify(kind)}`;
    throw new WebhookRequestError(400, `expected a ${KIND} of ${REVIEW_VERSIONS.join(' or ')}, got ${got}`);
  }
  const { user = '', uid = '', groups, group, extra, resourceAttributes, nonResourceAttributes } = fieldsOf(spec);
  const named = groups ?? group ?? [];
  if (typeof user !== 'string' || typeof uid !== 'string' || !isTextList(named))
    throw new WebhookRequestError(400, 'spec.user and spec.uid must be strings, spec.groups a list of them');
  const more = Object.entries(fieldsOf(extra));
  if (!more.every((entry): entry is [string, string[]] => isTextList(entry[1])))
    throw new WebhookRequestError(400, 'spec.extra must be lists of strings');
  if (resourceAttributes === undefined && nonResourceAttributes === undefined)
    throw new WebhookRequestError(400, 'spec needs resourceAttributes or nonResourceAttributes');
  return {
    apiVersion,
    question: {
      user,
      uid,
      groups: named,
      extra: Object.fromEntries(more),
      resource: resourceAttributes === undefined ? undefined : fieldsOf(resourceAttributes),
      path: nonResourceAttributes === undefined ? undefined : fieldsOf(nonResourceAttributes),
    },
  };
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
