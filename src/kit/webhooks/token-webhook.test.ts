import { describe, expect, test } from 'vitest';
import { type IdentifyToken, tokenWebhook } from './token-webhook.ts';

const ada = { name: 'ada', uid: '7', groups: ['dev'], extra: { 'acme.io/a': ['b'] } };
const signal = new AbortController().signal;

async function statusOf(identify: IdentifyToken, spec: object, version = 'v1'): Promise<unknown> {
  const apiVersion = `authentication.k8s.io/${version}`;
  const answer = await tokenWebhook(identify)({ apiVersion, kind: 'TokenReview', spec }, { signal });
  expect(answer).toMatchObject({ apiVersion, kind: 'TokenReview' });
  return (answer as { readonly status: unknown }).status;
}

describe('tokenWebhook()', () => {
  test.each(['v1', 'v1beta1'])('identifies the user of a token, in %s', async (version) => {
    const identify: IdentifyToken = (token) => (token === 'right' ? ada : undefined);
    expect(await statusOf(identify, { token: 'right', audiences: ['api'] }, version)).toEqual({
      authenticated: true,
      user: { username: 'ada', uid: '7', groups: ['dev'], extra: { 'acme.io/a': ['b'] } },
      audiences: ['api'],
    });
    expect(await statusOf(identify, { token: 'wrong' }, version)).toEqual({ authenticated: false });
  });

  test('limits the audiences to those of the token', async () => {
    const identify: IdentifyToken = () => ({ ...ada, audiences: ['vault'] });
    expect(await statusOf(identify, { token: 'x', audiences: ['api', 'vault'] })).toMatchObject({
      audiences: ['vault'],
    });
    expect(await statusOf(identify, { token: 'x', audiences: ['api'] })).toEqual({ authenticated: false });
  });

  test('reports why a token is refused', async () => {
    const identify: IdentifyToken = () => Promise.reject(new Error('the badge was lost'));
    expect(await statusOf(identify, { token: 'x' })).toEqual({ authenticated: false, error: 'the badge was lost' });
  });

  test.each([
    [null, /expected a TokenReview/],
    [{ apiVersion: 'v1', kind: 'Pod' }, /expected a TokenReview/],
    [{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {} }, /spec needs a token/],
    [
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'x', audiences: 'y' } },
      /spec.audiences must be a list/,
    ],
  ])('refuses what is no TokenReview: %o', async (review, message) => {
    await expect(async () => tokenWebhook(() => ada)(review, { signal })).rejects.toThrow(message);
  });
});
