import { expect, test } from 'vitest';
import { chooseControllers } from './choose-controllers.ts';

const ALL = ['deployment', 'endpoint', 'garbage-collector-controller', 'csrsigning'].map((name) => ({ name }));

function chosen(text: string): readonly string[] {
  return chooseControllers(text, ALL).map(({ name }) => name);
}

test('all of them, or those that are named', () => {
  expect(chosen('all')).toHaveLength(4);
  expect(chosen('*')).toHaveLength(4);
  expect(chosen('deployment, garbage-collector')).toEqual(['deployment', 'garbage-collector-controller']);
  expect(chosen('')).toEqual([]);
});

test('names as kube-controller-manager spells them', () => {
  const names = 'deployment-controller,endpoints-controller,certificatesigningrequest-signing-controller';
  expect(chosen(names)).toEqual(['deployment', 'endpoint', 'csrsigning']);
});

test('all but some', () => {
  expect(chosen('*,-deployment-controller')).toEqual(['endpoint', 'garbage-collector-controller', 'csrsigning']);
  expect(chosen('deployment,-deployment')).toEqual([]);
});

test('an unknown one is an error that names the known ones', () => {
  expect(() => chosen('*,-deploy')).toThrow(
    'There is no controller "deploy": choose of deployment, endpoint, garbage-collector-controller, csrsigning',
  );
});
