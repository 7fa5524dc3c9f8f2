import { describe, expect, test } from 'vitest';
import { currentSetAnnotations, lastRevision, nextRevision, REVISION, REVISION_HISTORY } from './annotations.ts';
import { set, view } from './testing/samples.ts';

function revision(value: string): ReturnType<typeof set> {
  return set(`r${value}`, 0, { annotations: { [REVISION]: value } });
}

describe('the annotations of the current ReplicaSet', () => {
  test('are those of the Deployment without the ones that are not copied', () => {
    const annotations = {
      team: 'a',
      [REVISION]: '7',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'deprecated.deployment.rollback.to': '1',
    };
    expect(currentSetAnnotations(view({ annotations }), {}, 3n)).toEqual({ team: 'a', [REVISION]: '3' });
  });

  test('keep a higher revision', () => {
    expect(currentSetAnnotations(view(), { [REVISION]: '5' }, 3n)).toEqual({ [REVISION]: '5' });
  });

  test('keep the earlier revisions', () => {
    const once = currentSetAnnotations(view(), { [REVISION]: '1' }, 3n);
    expect(once).toEqual({ [REVISION]: '3', [REVISION_HISTORY]: '1' });
    expect(currentSetAnnotations(view(), once, 5n)).toEqual({ [REVISION]: '5', [REVISION_HISTORY]: '1,3' });
  });

  test('drop the oldest revisions when there are too many', () => {
    const history = Array.from({ length: 400 }, (_, index) => 1000 + index).join(',');
    const updated = currentSetAnnotations(view(), { [REVISION]: '1400', [REVISION_HISTORY]: history }, 1402n);
    expect(updated[REVISION_HISTORY]).toBe(`${history},1400`.slice(5));
    expect(updated[REVISION_HISTORY]?.length).toBeLessThanOrEqual(2000);
  });

  test('are unchanged when the revision is malformed', () => {
    expect(currentSetAnnotations(view(), { [REVISION]: 'x' }, 3n)).toEqual({ [REVISION]: 'x' });
  });
});

test('malformed revisions are skipped', () => {
  const sets = [revision('2'), revision('x'), revision('9'), set('none', 0)];
  expect(nextRevision(sets)).toBe(10n);
  expect(lastRevision(sets)).toBe(2n);
  expect(lastRevision([revision('1')])).toBe(0n);
});

test('revisions beyond 2^53 keep their digits', () => {
  const sets = [revision('3546343826724305832'), revision('3546343826724305831')];
  expect(nextRevision(sets)).toBe(3546343826724305833n);
  expect(lastRevision(sets)).toBe(3546343826724305831n);
  expect(nextRevision([revision('9223372036854775807')])).toBe(-9223372036854775808n);
});
