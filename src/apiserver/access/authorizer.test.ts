import { describe, expect, test } from 'vitest';
import { firstOpinion, mastersAuthorizer, NO_OPINION } from './authorizer.ts';
import type { AccessDecision, AccessRequest, Authorizer } from './authorizer.ts';

const request = {
  user: { name: 'joe', groups: [] },
  info: {},
  signal: new AbortController().signal,
} as unknown as AccessRequest;

const says = (verdict: AccessDecision['verdict'], reason = ''): Authorizer => ({
  authorize: () => ({ verdict, reason }),
});
const later = (authorizer: Authorizer): Authorizer => ({
  authorize: async (asked) => authorizer.authorize(asked),
});
const failing: Authorizer = {
  authorize() {
    throw new Error('no answer');
  },
};

describe('of several authorizers', () => {
  test('the first with an opinion decides, synchronously when all answers are synchronous', async () => {
    const { authorize } = firstOpinion([says('noOpinion', 'a'), says('deny', 'b'), says('allow', 'c')]);
    expect(authorize(request)).toEqual({ verdict: 'deny', reason: 'b' });
    const waiting = firstOpinion([later(says('noOpinion')), says('noOpinion'), later(says('allow', 'c'))]);
    expect(await waiting.authorize(request)).toEqual({ verdict: 'allow', reason: 'c' });
  });

  test('the reasons and errors of those without an opinion are joined', async () => {
    expect(firstOpinion([]).authorize(request)).toBe(NO_OPINION);
    const all = firstOpinion([says('noOpinion', 'a'), failing, later(failing), later(says('noOpinion', 'b'))]);
    expect(await all.authorize(request)).toEqual({
      verdict: 'noOpinion',
      reason: 'a\nb',
      error: '[no answer, no answer]',
    });
  });

  test('the next can allow a request after one failed', () => {
    const master = { ...request, user: { name: 'root', groups: ['system:masters'] } };
    expect(firstOpinion([failing, mastersAuthorizer]).authorize(master)).toMatchObject({ verdict: 'allow' });
  });
});
