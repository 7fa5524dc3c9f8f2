import { describe, expect, test } from 'vitest';
import { authorizationWebhook, type DecideAccess } from './authorization-webhook.ts';

const signal = new AbortController().signal;
const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'a' };

async function statusOf(decide: DecideAccess, spec: object, version = 'v1'): Promise<unknown> {
  const apiVersion = `authorization.k8s.io/${version}`;
  const answer = await authorizationWebhook(decide)({ apiVersion, kind: 'SubjectAccessReview', spec }, { signal });
  expect(answer).toMatchObject({ apiVersion, kind: 'SubjectAccessReview' });
  return (answer as { readonly status: unknown }).status;
}

describe('authorizationWebhook()', () => {
  test.each([
    ['v1', 'groups'],
    ['v1beta1', 'group'],
  ])('decides what a user may do, in %s', async (version, member) => {
    const decide: DecideAccess = ({ user, groups, resource }) =>
      user === 'ada' && groups.includes('dev') && resource?.resource === 'pods' ? 'allow' : 'noOpinion';
    expect(await statusOf(decide, { user: 'ada', [member]: ['dev'], resourceAttributes }, version)).toEqual({
      allowed: true,
    });
    expect(await statusOf(decide, { user: 'ada', resourceAttributes }, version)).toEqual({ allowed: false });
  });

  test('refuses with a reason', async () => {
    const decide: DecideAccess = ({ path }) => ({ verdict: 'deny', reason: `none may read ${path?.path}` });
    const spec = { user: 'ada', nonResourceAttributes: { path: '/secret', verb: 'get' } };
    expect(await statusOf(decide, spec)).toEqual({ allowed: false, denied: true, reason: 'none may read /secret' });
  });

  test('reports an error, and allows nothing then', async () => {
    const decide: DecideAccess = () => Promise.reject(new Error('the list is lost'));
    expect(await statusOf(decide, { user: 'ada', resourceAttributes })).toEqual({
      allowed: false,
      evaluationError: 'the list is lost',
    });
  });

  test.each([
    [null, /expected a SubjectAccessReview/],
    [{ apiVersion: 'v1', kind: 'Pod' }, /expected a SubjectAccessReview/],
    [{ spec: { user: 1, resourceAttributes } }, /must be strings/],
    [{ spec: { user: 'a', groups: 'b', resourceAttributes } }, /must be strings/],
    [{ spec: { user: 'a', extra: { b: 'c' }, resourceAttributes } }, /spec.extra must be lists/],
    [{ spec: { user: 'a' } }, /needs resourceAttributes/],
  ])('refuses what is no SubjectAccessReview: %o', async (review, message) => {
    const whole =
      review !== null && 'spec' in review
        ? { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', ...review }
        : review;
    await expect(async () => authorizationWebhook(() => 'allow')(whole, { signal })).rejects.toThrow(message);
  });
});
