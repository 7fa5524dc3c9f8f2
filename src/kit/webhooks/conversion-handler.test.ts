import { describe, expect, test } from 'vitest';
import { conversionHandler, type ConvertObject } from './conversion-handler.ts';

const context = { signal: new AbortController().signal };
const upper: ConvertObject = (object, toVersion) => ({ ...object, spec: { to: toVersion } });

function review(version: string, objects: readonly unknown[]): unknown {
  return {
    apiVersion: `apiextensions.k8s.io/${version}`,
    kind: 'ConversionReview',
    request: { uid: 'u1', desiredAPIVersion: 'example.dev/v2', objects },
  };
}

const cron = { apiVersion: 'example.dev/v1', kind: 'Cron', metadata: { name: 'a' } };

describe('conversionHandler()', () => {
  test.each(['v1', 'v1beta1'])('answers %s with the same uid and all objects, in order', async (version) => {
    const there = { ...cron, apiVersion: 'example.dev/v2', spec: 'as it was' };
    expect(await conversionHandler(upper)(review(version, [cron, there]), context)).toEqual({
      apiVersion: `apiextensions.k8s.io/${version}`,
      kind: 'ConversionReview',
      response: {
        uid: 'u1',
        convertedObjects: [{ ...cron, apiVersion: 'example.dev/v2', spec: { to: 'v2' } }, there],
        result: { status: 'Success' },
      },
    });
  });

  test('fails the review with the message of what was thrown', async () => {
    const refuse = conversionHandler(() => {
      throw new Error('schedule is too old');
    });
    expect(await refuse(review('v1', [cron]), context)).toMatchObject({
      response: { uid: 'u1', convertedObjects: [], result: { status: 'Failure', message: 'schedule is too old' } },
    });
  });

  test.each([
    ['null', null, 'expected a ConversionReview'],
    ['another version', review('v2', []), 'got "apiextensions.k8s.io/v2" "ConversionReview"'],
    ['no request', { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }, 'request needs uid'],
    ['an object without a kind', review('v1', [cron, {}]), 'request.objects[1] needs'],
  ])('refuses %s', async (_name, sent, message) => {
    await expect(conversionHandler(upper)(sent, context)).rejects.toThrow(message);
  });
});
