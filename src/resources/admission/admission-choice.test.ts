import { expect, test } from 'vitest';
import { admissionProblems } from './admission-choice.ts';

test("the names of kube-apiserver's plugins may be chosen", () => {
  expect(admissionProblems({ enable: ['NodeRestriction', 'Priority'], disable: ['ServiceAccount'] })).toEqual([]);
});

test('reports unknown names, and names in both lists', () => {
  expect(
    admissionProblems({ enable: ['Priority', 'LimitRanger', 'x"'], disable: ['y', 'Priority', 'LimitRanger'] }),
  ).toEqual([
    'enable-admission-plugins plugin "x\\"" is unknown',
    'disable-admission-plugins plugin "y" is unknown',
    '[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
  ]);
});
