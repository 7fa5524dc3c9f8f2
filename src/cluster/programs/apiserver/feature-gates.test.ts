import { expect, test } from 'vitest';
import { defaultFeatures } from '../../../api/index.ts';
import { featureGateProblem } from './feature-gates.ts';

test('features that are asked for as they are by default can be had', () => {
  expect(featureGateProblem([])).toBeUndefined();
  expect(
    featureGateProblem(['InPlacePodVerticalScaling=true', 'kube:AllAlpha=false', 'WatchList=True']),
  ).toBeUndefined();
  expect(defaultFeatures('1.36').size).toBe(242);
});

test('others are refused by name', () => {
  expect(featureGateProblem(['Made=true'])).toBe('unrecognized feature gate: Made');
  expect(featureGateProblem(['AllBeta=false', 'AllAlpha=true'])).toBe(
    'AllAlpha=true is refused: features are as they are in Kubernetes 1.36 by default, and AllAlpha is off',
  );
  expect(featureGateProblem(['WatchList=perhaps'])).toBe('WatchList must be true or false, got "perhaps"');
  expect(featureGateProblem(['WatchList'])).toBe('WatchList must be true or false, got ""');
});

test('features have the defaults of the version that is served', () => {
  expect(featureGateProblem(['ContainerRestartRules=false'], '1.34')).toBeUndefined();
  expect(featureGateProblem(['ContainerRestartRules=false'], '1.35')).toBe(
    'ContainerRestartRules=false is refused: features are as they are in Kubernetes 1.35 by default, and ContainerRestartRules is on',
  );
  expect(featureGateProblem(['ContainerRestartRules=false'], '1.33')).toBe(
    'unrecognized feature gate: ContainerRestartRules',
  );
});
