import { expect, test } from 'vitest';
import { type ObjectIndex, requestInfo, type ServerObjects } from '../../apiserver/index.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';

/** Objects of a store that loads only when the test calls `load`. */
function loadingObjects(held: Readonly<Record<string, readonly object[]>>): {
  objects: ServerObjects;
  load: () => void;
} {
  let isComplete = false;
  const waiting: (() => void)[] = [];
  const index = (plural: string, keysOf: (object: never) => readonly string[]): ObjectIndex<object> => ({
    get: (key) => (isComplete ? (held[plural] ?? []).filter((object) => keysOf(object as never).includes(key)) : []),
    get isComplete() {
      return isComplete;
    },
    completed: () => (isComplete ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  });
  const of = (_: string, plural: string): object => ({
    index: (_name: string, keysOf: (object: never) => readonly string[]) => index(plural, keysOf),
  });
  const load = (): void => {
    isComplete = true;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { objects: { of } as unknown as ServerObjects, load };
}

test('decisions wait until all roles and bindings are loaded', async () => {
  const { objects, load } = loadingObjects({
    clusterroles: [{ metadata: { name: 'r' }, rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }],
    clusterrolebindings: [
      {
        metadata: { name: 'b' },
        roleRef: { kind: 'ClusterRole', name: 'r' },
        subjects: [{ kind: 'User', name: 'ada' }],
      },
    ],
  });
  const authorizer = new RbacAuthorizer(objects);
  const info = requestInfo('GET', '/x', { isWatch: false, nameFromField: '' });
  const ask = (name: string): unknown =>
    authorizer.authorize({ user: { name, groups: [] }, info, signal: new AbortController().signal });
  const [early, refused] = [ask('ada'), ask('bob')];
  expect(early).toBeInstanceOf(Promise);
  load();
  expect(await early).toMatchObject({ verdict: 'allow' });
  expect(await refused).toMatchObject({ verdict: 'noOpinion' });
  expect(ask('ada')).not.toBeInstanceOf(Promise);
});
