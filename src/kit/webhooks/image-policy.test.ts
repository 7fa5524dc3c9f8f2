import { describe, expect, test } from 'vitest';
import { imagePolicy, type ImagePolicyOptions } from './image-policy.ts';

const { signal } = new AbortController();
const apiVersion = 'imagepolicy.k8s.io/v1alpha1';

async function statusOf(review: ImagePolicyOptions['review'], spec: object): Promise<unknown> {
  const answer = await imagePolicy({ review })({ apiVersion, kind: 'ImageReview', spec }, { signal });
  expect(answer).toMatchObject({ apiVersion, kind: 'ImageReview' });
  return (answer as { readonly status: unknown }).status;
}

describe('imagePolicy()', () => {
  test('passes the images of a pod to the function, and its verdict to the server', async () => {
    const spec = { containers: [{ image: 'a' }, {}], namespace: 'n', annotations: { 'x.image-policy.k8s.io/y': 'z' } };
    const seen: unknown[] = [];
    const judge: ImagePolicyOptions['review'] = (images) => {
      seen.push(images);
      return { allowed: false, reason: 'old', auditAnnotations: { by: 'me' } };
    };
    expect(await statusOf(judge, spec)).toEqual({ allowed: false, reason: 'old', auditAnnotations: { by: 'me' } });
    expect(seen).toEqual([{ images: ['a', ''], namespace: 'n', annotations: { 'x.image-policy.k8s.io/y': 'z' } }]);
    expect(await statusOf(() => ({ allowed: true }), {})).toEqual({ allowed: true });
  });

  test('refuses, with the reason, when the judge fails', async () => {
    const fail = (): never => {
      throw new Error('the registry is away');
    };
    expect(await statusOf(fail, {})).toEqual({ allowed: false, reason: 'the registry is away' });
  });

  test.each([null, { apiVersion: 'v1', kind: 'Pod' }, { apiVersion, kind: 'ImageReview', spec: { containers: 1 } }])(
    'refuses what is no ImageReview: %o',
    async (review) => {
      await expect(async () => imagePolicy({ review: () => ({ allowed: true }) })(review, { signal })).rejects.toThrow(
        /expected an ImageReview|must be a list/,
      );
    },
  );
});
