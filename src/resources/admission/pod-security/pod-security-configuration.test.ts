import { expect, test } from 'vitest';
import { DEFAULT_POD_SECURITY, readPodSecurityConfiguration } from './pod-security-configuration.ts';

const head = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' };

test('an empty configuration equals the defaults', () => {
  expect(readPodSecurityConfiguration(JSON.stringify(head))).toEqual(DEFAULT_POD_SECURITY);
});

test('defaults and exemptions are read', () => {
  const defaults = { enforce: 'baseline', 'enforce-version': 'v1.30' };
  const read = readPodSecurityConfiguration(
    JSON.stringify({ ...head, defaults, exemptions: { namespaces: ['a'], usernames: ['u'] } }),
  );
  expect(read.defaults.enforce).toEqual({ level: 'baseline', version: 30 });
  expect(read.defaults.warn).toEqual({ level: 'privileged', version: 'latest' });
  expect(read.exemptions).toEqual({ usernames: ['u'], namespaces: ['a'], runtimeClasses: [] });
});

const wrong: readonly [value: object, problem: string][] = [
  [{}, "Object 'Kind' is missing in '{}'"],
  [{ ...head, kind: 'Foo' }, 'no kind "Foo" is registered for version "pod-security.admission.config.k8s.io/v1"'],
  [{ ...head, defaults: { enforced: 'x' } }, 'strict decoding error: unknown field "defaults.enforced"'],
  [
    { ...head, defaults: { enforce: 'x', 'warn-version': 'y' } },
    'PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, ' +
      'warn-version: must be "latest" or "v1.x"]',
  ],
  [
    { ...head, exemptions: { usernames: ['', 'a', 'a'] } },
    'PodSecurity invalid: [exemptions.usernames[0]: Invalid value: "": username must not be empty, ' +
      'exemptions.usernames[2]: Duplicate value: "a"]',
  ],
];

test.each(wrong)('%j is refused', (value, problem) => {
  expect(() => readPodSecurityConfiguration(JSON.stringify(value))).toThrow(problem);
});
