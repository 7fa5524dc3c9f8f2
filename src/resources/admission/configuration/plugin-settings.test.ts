import { describe, expect, test } from 'vitest';
import { readEventLimits } from './event-limits.ts';
import { labelsOfSelector, readNodeSelectors } from './node-selectors.ts';
import { readTolerationRules } from './toleration-rules.ts';

const EVENTS = 'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n';
const TOLERATIONS = 'apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1\nkind: Configuration\n';

/** The messages are those with which kube-apiserver 1.36.3 refuses to start. */
describe('EventRateLimit', () => {
  test('reads limits, and ignores unknown members', () => {
    expect(readEventLimits(`${EVENTS}limits: [{type: Server, qps: 1, burst: 2}]\nfoo: 1`)).toEqual([
      { type: 'Server', qps: 1, burst: 2, cacheSize: 0 },
    ]);
  });

  test.each([
    [undefined, 'limits: Invalid value: null: must not be empty'],
    [`${EVENTS}limits: []`, 'limits: Invalid value: []: must not be empty'],
    [
      `${EVENTS}limits: [{type: Foo, qps: 0, burst: -1}, {type: User, qps: 1, burst: 1, cacheSize: -1}]`,
      '[limits[0].type: Unsupported value: "Foo": supported values: "Server", "Namespace", "User", "SourceAndObject", limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[1].cacheSize: Invalid value: -1: must not be negative]',
    ],
    [
      `${EVENTS}limits: [{type: Server, qps: a, burst: 1}]`,
      'json: cannot unmarshal string into Go struct field Limit.limits.qps of type int32',
    ],
    ['{"limits":[]}', "Object 'Kind' is missing in '{\"limits\":[]}'"],
  ])('%j is refused', (text, problem) => {
    expect(() => readEventLimits(text)).toThrow(expect.objectContaining({ message: problem }));
  });
});

test('PodTolerationRestriction refuses tolerations that are invalid for pods', () => {
  const text = `${TOLERATIONS}default: [{operator: Exists, value: v}]\nwhitelist: [{key: k, effect: Foo}]`;
  expect(() => readTolerationRules(text)).toThrow(
    new Error(
      'invalid config: [podtolerationrestriction.default[0].operator: Invalid value: "v": value must be empty when `operator` is \'Exists\' ' +
        'podtolerationrestriction.whitelist[0].effect: Unsupported value: "Foo": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"]',
    ),
  );
  expect(readTolerationRules(undefined)).toEqual({});
});

describe('PodNodeSelector', () => {
  test.each([undefined, 'foo', 'a: b: c', 'podNodeSelectorPluginConfig: {a: 1}'])(
    'ignores the unreadable configuration %j',
    (text) => {
      expect(readNodeSelectors(text)).toEqual({});
    },
  );

  test('parses selectors when they are used', () => {
    expect(labelsOfSelector(' a = b,c=')).toEqual({ a: 'b', c: '' });
    expect(() => labelsOfSelector('a==b')).toThrow('invalid selector: [a  b]');
  });
});
