import { describe, expect, test } from 'vitest';
import { builtInTypes, fieldErrorText } from '../../api/index.ts';
import { checkTyped } from './typed-values.ts';

function problems(type: string, object: Readonly<Record<string, unknown>>): string[] {
  return checkTyped(object, builtInTypes().struct(type)).map(fieldErrorText);
}

const POD_SPEC = 'io.k8s.api.core.v1.PodSpec';
const container = { name: 'a', image: 'b' };

describe('checkTyped()', () => {
  test('reports missing fields with the message of their definition', () => {
    expect(problems(POD_SPEC, {})).toEqual(['containers: Required value']);
    expect(problems('io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference', {})).toEqual([
      'name: Required value: must reference a priority level',
    ]);
  });

  test('lists the supported values in upstream’s order', () => {
    expect(problems(POD_SPEC, { containers: [container], restartPolicy: 'x' })).toEqual([
      'restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
    ]);
  });

  test('reports errors at the enclosing object or list, where upstream does', () => {
    expect(problems(POD_SPEC, { containers: [container], os: { name: 'x' } })).toEqual([
      'os: Unsupported value: "x": supported values: "linux", "windows"',
    ]);
    const resizePolicy = [{ resourceName: '', restartPolicy: 'NotRequired' }];
    expect(problems(POD_SPEC, { containers: [{ ...container, resizePolicy }] })).toEqual([
      'containers[0].resizePolicy: Required value',
    ]);
    expect(problems('io.k8s.api.core.v1.PersistentVolumeClaimSpec', { accessModes: ['x'] })).toEqual([
      expect.stringContaining('accessModes: Unsupported value: "x"'),
    ]);
  });

  test('has different messages for the two ends of a range', () => {
    const sources = [1, 2 ** 33].map((expirationSeconds) => ({
      serviceAccountToken: { path: 'a', expirationSeconds },
    }));
    expect(problems('io.k8s.api.core.v1.ProjectedVolumeSource', { sources })).toEqual([
      'sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      'sources[1].serviceAccountToken.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    ]);
  });

  test('ignores rules that are only documented, and zeros that mean "not set"', () => {
    const ports = [{ containerPort: 1, hostPort: 0 }];
    const spec = { containers: [{ ...container, ports }], schedulingGates: [{ name: '' }] };
    expect(problems(POD_SPEC, { ...spec, tolerations: [{ operator: 'x' }] })).toEqual([]);
  });

  test('validates the values of maps', () => {
    const devices = [{ name: 'a', attributes: { size: { version: '1'.repeat(65) } } }];
    const pool = { name: 'a', generation: 0, resourceSliceCount: 1 };
    expect(problems('io.k8s.api.resource.v1.ResourceSliceSpec', { driver: 'a', pool, devices })).toEqual([
      'devices[0].attributes[size].version: Too long: may not be more than 64 bytes',
    ]);
  });

  test('leaves the values of types with rules of their own to their kinds', () => {
    expect(problems('io.k8s.api.core.v1.Pod', { spec: { restartPolicy: 'x' } })).toEqual([]);
  });
});
