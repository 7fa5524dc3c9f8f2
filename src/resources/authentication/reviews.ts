import { type ApiObject, badRequest, formatTime, instantOfMillis } from '../../api/index.ts';
import type {
  TokenReview,
  TokenReviewStatus,
  UserInfo as UserInfoObject,
} from '../../api/types/authentication/v1.d.ts';
import type { UserInfo } from '../../apiserver/index.ts';
import type { TokenReviewer } from '../access.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import type { Kind } from '../kind.ts';

const GROUP = 'authentication.k8s.io';

/** The two kinds of reviews that identify a user. Not stored. */
export function identityReviews({ tokenReviewer }: KindEnvironment): Kind[] {
  return [
    {
      group: GROUP,
      plural: 'selfsubjectreviews',
      computed: {
        create: async ({ kind, apiVersion }, { user, now }) => ({
          kind,
          apiVersion,
          metadata: { creationTimestamp: formatTime(instantOfMillis(now)) },
          status: { userInfo: userObject(user) },
        }),
      },
    },
    {
      group: GROUP,
      plural: 'tokenreviews',
      isConfidential: true,
      ownRulesFor: ['spec.token'],
      computed: { check: checkToken, create: (object, { signal }) => reviewToken(object, tokenReviewer, signal) },
    },
  ];
}

function checkToken(object: ApiObject): void {
  const { token = '' } = (object as unknown as TokenReview).spec;
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
}

/** Without a reviewer, the answer is that of upstream without token authenticators. */
async function reviewToken(
  object: ApiObject,
  reviewer: TokenReviewer | undefined,
  signal: AbortSignal,
): Promise<ApiObject> {
  const { spec } = object as unknown as TokenReview;
  const { token = '', audiences = [] } = spec;
  if (reviewer === undefined) return object;
  const asked = audiences.length === 0 ? reviewer.apiAudiences : audiences;
  const verdict = await reviewer.review(token, asked, signal);
  const status: TokenReviewStatus = verdict.ok
    ? { authenticated: true, user: userObject(verdict.user), audiences: [...verdict.audiences] }
    : { user: {}, error: verdict.error };
  return { ...object, status };
}

function userObject({ name, uid, groups, extra }: UserInfo): UserInfoObject {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined || Object.keys(extra).length === 0
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
