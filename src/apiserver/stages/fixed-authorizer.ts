import type { AccessDecision, AccessRequest, Authorizer } from './authorize.ts';

const allowed: AccessDecision = { allowed: true, reason: '' };
const denied: AccessDecision = { allowed: false, reason: '' };

/** Paths that everybody may read, logged in or not. */
const PUBLIC = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);

/** Paths that everybody who is logged in may read, besides. */
const DISCOVERY = /^\/(api|apis|openapi)(\/.*)?$/;

const SELF_REVIEWS = new Set(['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews']);

/**
 * What a cluster without any roles grants: everything to `system:masters`, discovery and questions about oneself to
 * whoever is logged in, health and version to all. Role-based access takes its place behind the same interface.
 */
export const fixedAuthorizer: Authorizer = {
  authorize({ user, info }: AccessRequest): AccessDecision {
    if (user.groups.includes('system:masters')) return allowed;
    const isRead = info.verb === 'get' || info.verb === 'head';
    if (!info.isResource && isRead && PUBLIC.has(info.path)) return allowed;
    if (!user.groups.includes('system:authenticated')) return denied;
    if (!info.isResource) return isRead && DISCOVERY.test(info.path) ? allowed : denied;
    return info.verb === 'create' && SELF_REVIEWS.has(info.resource) ? allowed : denied;
  },
};
