import { describe, expect, test } from 'vitest';
import { chooseControllers, controllerListProblems, controllerName } from './choose-controllers.ts';
import { builtInControllers } from './index.ts';

const all = builtInControllers({ rootCertificate: '' });
const namesOf = (list: readonly string[]): readonly (string | undefined)[] =>
  chooseControllers(all, list).map(controllerName);

describe('controllers are chosen as kube-controller-manager does', () => {
  test('every built-in controller has a name', () => {
    expect(all.filter((part) => controllerName(part) === undefined)).toEqual([]);
  });

  test('a star means all that are on by default', () => {
    const star = namesOf(['*']);

    expect(star).toContain('deployment-controller');
    expect(star).not.toContain('token-cleaner-controller');
    expect(namesOf(['*', 'tokencleaner'])).toContain('token-cleaner-controller');
  });

  test.each([
    [['deployment'], ['deployment-controller']],
    [
      ['replicaset-controller', 'deployment'],
      ['deployment-controller', 'replicaset-controller'],
    ],
    [['deployment', '-deployment-controller'], ['deployment-controller']],
    [['-deployment', 'deployment'], []],
  ])('%j', (list, names) => {
    expect(namesOf(list)).toEqual(names);
  });

  test('an excluded controller is left out, by its legacy name too', () => {
    expect(namesOf(['*', '-deployment'])).not.toContain('deployment-controller');
  });

  test('a controller that does not exist cannot be requested', () => {
    expect(() => namesOf(['*', 'selinux-warning-controller'])).toThrow(
      'Cannot run controllers that do not exist: selinux-warning-controller',
    );
  });

  test('unknown names are reported', () => {
    expect(controllerListProblems(['*', '-namespace', 'foo', '-bar'])).toEqual([
      '"foo" is not in the list of known controllers',
      '"bar" is not in the list of known controllers',
    ]);
  });
});
