import { NO_OPINION, type AccessDecision, type AccessRequest, type Authorizer } from './authorizer.ts';

const ALLOWED: AccessDecision = { verdict: 'allow', reason: '' };

const MASTERS = 'system:masters';

/** Whoever is in `system:masters` may do everything, whatever other authorizers say: it is asked first. */
export const mastersAuthorizer: Authorizer = {
  authorize: ({ user }) => (user.groups.includes(MASTERS) ? ALLOWED : NO_OPINION),
};

/** Paths that everybody may read, logged in or not. */
const PUBLIC = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Paths that everybody who is logged in may read, besides. */
const DISCOVERY = /^\/(api|apis|openapi)(\/.*)?$/;

/** Questions about oneself: resources by group. */
const SELF_REVIEWS = new Set([
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authentication.k8s.io/selfsubjectreviews',
]);

/**
 * What a cluster without any roles grants besides: discovery and questions about oneself to whoever is logged in, health and
 * version to all. Role-based access takes its place behind the same interface.
 */
export const fixedAuthorizer: Authorizer = {
  authorize({ user, info }: AccessRequest): AccessDecision {
    const isRead = info.verb === 'get'; // the verb of HEAD on such a path is `head`, which no default role grants
    if (!info.isResource && isRead && PUBLIC.has(info.path)) return ALLOWED;
    if (!user.groups.includes('system:authenticated')) return NO_OPINION;
    if (!info.isResource) return isRead && DISCOVERY.test(info.path) ? ALLOWED : NO_OPINION;
    const isSelfReview = info.subresource === '' && SELF_REVIEWS.has(`${info.group}/${info.resource}`);
    return info.verb === 'create' && isSelfReview ? ALLOWED : NO_OPINION;
  },
};
