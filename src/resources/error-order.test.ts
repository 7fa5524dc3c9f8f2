import { expect, test } from 'vitest';
import { builtInTypes, type FieldError, invalidValue, required } from '../api/index.ts';
import { fitIn } from './error-order.ts';

const deployment = builtInTypes().struct('io.k8s.api.apps.v1.Deployment');

function fields(errors: readonly FieldError[]): string[] {
  return errors.map(({ field }) => field);
}

test('sorts problems from the type table among those of the kind', () => {
  const table = [
    required('spec.template.spec.containers[1].image'),
    invalidValue('spec.minReadySeconds', -1, ''),
    invalidValue('spec.replicas', -1, ''),
  ];
  const own = [required('spec.selector'), required('spec.template.spec.containers[0].env[0].name')];
  expect(fields(fitIn(table, own, deployment))).toEqual([
    'spec.replicas',
    'spec.selector',
    'spec.template.spec.containers[0].env[0].name',
    'spec.template.spec.containers[1].image',
    'spec.minReadySeconds',
  ]);
});

test('keeps the order of the kind’s own problems', () => {
  const own = [required('spec.strategy'), required('spec.selector')];
  expect(fields(fitIn([], own, deployment))).toEqual(['spec.strategy', 'spec.selector']);
  expect(fields(fitIn([required('spec.replicas')], own, deployment))).toEqual([
    'spec.replicas',
    'spec.strategy',
    'spec.selector',
  ]);
});

test('puts unknown fields last', () => {
  const table = [required('spec.unknown[x].y'), required('spec.paused')];
  expect(fields(fitIn(table, [], deployment))).toEqual(['spec.paused', 'spec.unknown[x].y']);
});
