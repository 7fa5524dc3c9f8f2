import { expect, test } from 'vitest';
import type { Authorizer } from '../apiserver/index.ts';
import type { TokenIssuer, TokenReviewer, TokenSpec } from './access.ts';
import { TestApi } from './testing/test-api.ts';

const ACCESS = '/apis/authorization.k8s.io/v1';
const question = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };

/** Only reading pods is allowed. */
const authorizer: Authorizer = {
  authorize: ({ info }) => ({
    verdict: info.verb === 'get' && info.resource === 'pods' ? 'allow' : 'deny',
    reason: 'readers read',
  }),
};

test('access reviews answer what the authorizer decides', async () => {
  await using api = await TestApi.open({ accessReviewer: { authorizer } });
  const ask = async (verb: string): Promise<unknown> => {
    const spec = { user: 'joe', resourceAttributes: { verb, resource: 'pods', namespace: 'kinds' } };
    const { code, body } = await api.send('POST', `${ACCESS}/subjectaccessreviews`, { ...question, spec });
    expect(code).toBe(201);
    return body['status'];
  };
  expect(await ask('get')).toEqual({ allowed: true, reason: 'readers read' });
  expect(await ask('delete')).toEqual({ allowed: false, denied: true, reason: 'readers read' });
});

test('a review without a question is refused', async () => {
  await using api = await TestApi.open({ accessReviewer: { authorizer } });
  const { code, body } = await api.send('POST', `${ACCESS}/subjectaccessreviews`, { ...question, spec: {} });
  expect(code).toBe(422);
  expect(body.details?.causes?.map(({ field }) => field)).toContain('spec.resourceAttributes');
});

test('a self subject review returns the caller', async () => {
  await using api = await TestApi.open();
  const { body } = await api.send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  });
  expect(body['status']).toEqual({
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
  });
});

test('token reviews identify the user of a token', async () => {
  const reviewer: TokenReviewer = {
    apiAudiences: ['api'],
    review: async (token, audiences) =>
      token === 'good'
        ? { ok: true, user: { name: 'joe', uid: '1', groups: ['g'], extra: {} }, audiences }
        : { ok: false, error: 'unknown token' },
  };
  await using api = await TestApi.open({ tokenReviewer: reviewer });
  const review = async (token: string): Promise<unknown> => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    return (await api.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', body)).body['status'];
  };
  expect(await review('good')).toEqual({
    authenticated: true,
    user: { username: 'joe', uid: '1', groups: ['g'] },
    audiences: ['api'],
  });
  expect(await review('bad')).toMatchObject({ error: 'unknown token' });
});

const TOKEN = '/api/v1/namespaces/kinds/serviceaccounts/robot/token';
const wish = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };

test('tokens for service accounts come from the issuer, bound to the named object', async () => {
  const wishes: TokenSpec[] = [];
  const tokenIssuer: TokenIssuer = {
    apiAudiences: ['api'],
    maxExpirationSeconds: 7200,
    async issue(asked) {
      wishes.push(asked);
      return { token: 'a-token', tokenId: 'an-id' };
    },
  };
  await using api = await TestApi.open({ tokenIssuer });
  await api.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } } as object);
  const pod = {
    metadata: { name: 'p' },
    spec: { serviceAccountName: 'robot', containers: [{ name: 'a', image: 'x' }] },
  };
  const { body: made } = await api.send('POST', '/api/v1/namespaces/kinds/pods', pod);
  const spec = { expirationSeconds: 9000, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p' } };
  const { code, body, warnings } = await api.send('POST', TOKEN, { ...wish, spec });
  expect(code).toBe(201);
  expect(body['status']).toMatchObject({ token: 'a-token', expirationTimestamp: '2026-01-01T02:00:00Z' });
  expect(warnings).toHaveLength(1);
  expect(wishes).toMatchObject([
    { audiences: ['api'], expirationSeconds: 7200, boundTo: { kind: 'Pod', name: 'p', uid: made.metadata.uid } },
  ]);
  const lost = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'missing' } };
  expect(await api.send('POST', TOKEN, { ...wish, spec: lost })).toMatchObject({
    code: 404,
    body: { message: 'pods "missing" not found' },
  });
});

test('requests that need a missing part of the server are refused with the reason', async () => {
  await using api = await TestApi.open();
  await api.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } } as object);
  expect(await api.send('POST', TOKEN, { ...wish, spec: {} })).toMatchObject({
    code: 405,
    body: { message: 'Cannot issue tokens: this server was started without a key to sign them' },
  });
  const spec = { user: 'joe', resourceAttributes: { verb: 'get' } };
  const review = await api.send('POST', `${ACCESS}/subjectaccessreviews`, { ...question, spec });
  expect(review.code).toBe(501);
});
