import { describe, expect, test } from 'vitest';
import { builtInTypes, fieldErrorText } from '../../api/index.ts';
import { checkTyped } from './typed-values.ts';

function problems(type: string, object: Readonly<Record<string, unknown>>): string[] {
  return checkTyped(object, builtInTypes().struct(type)).map(fieldErrorText);
}

const POD = 'io.k8s.api.core.v1.Pod';
const container = { name: 'a', image: 'b' };

describe('checkTyped()', () => {
  test('reports missing fields with the message of their definition', () => {
    expect(problems(POD, { spec: {} })).toEqual(['spec.containers: Required value']);
    expect(
      problems('io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler', {
        spec: { maxReplicas: 0, scaleTargetRef: { kind: 'a', name: 'b' } },
      }),
    ).toEqual(['spec.maxReplicas: Required value: must be set and greater than 0']);
  });

  test('lists the supported values in upstream’s order', () => {
    expect(problems(POD, { spec: { containers: [container], restartPolicy: 'x' } })).toEqual([
      'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
    ]);
  });

  test('reports errors at the enclosing object or list, where upstream does', () => {
    expect(problems(POD, { spec: { containers: [container], os: { name: 'x' } } })).toEqual([
      'spec.os: Unsupported value: "x": supported values: "linux", "windows"',
    ]);
    const resizePolicy = [{ resourceName: '', restartPolicy: 'NotRequired' }];
    expect(problems(POD, { spec: { containers: [{ ...container, resizePolicy }] } })).toEqual([
      'spec.containers[0].resizePolicy: Required value',
    ]);
    expect(problems('io.k8s.api.core.v1.PersistentVolumeClaim', { spec: { accessModes: ['x'] } })).toEqual([
      expect.stringContaining('spec.accessModes: Unsupported value: "x"'),
    ]);
  });

  test('has different messages for the two ends of a range', () => {
    const sources = (expirationSeconds: number): unknown => [{ serviceAccountToken: { path: 'a', expirationSeconds } }];
    const volumes = [
      { name: 'low', projected: { sources: sources(1) } },
      { name: 'high', projected: { sources: sources(2 ** 33) } },
    ];
    expect(problems(POD, { spec: { containers: [container], volumes } })).toEqual([
      'spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      'spec.volumes[1].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    ]);
  });

  test('ignores rules that are only documented, and zeros that mean "not set"', () => {
    const ports = [{ containerPort: 1, hostPort: 0 }];
    const spec = { containers: [{ ...container, ports }], schedulingGates: [{ name: '' }] };
    expect(problems(POD, { spec: { ...spec, tolerations: [{ operator: 'x' }] } })).toEqual([]);
  });

  test('validates the values of maps', () => {
    const devices = [{ name: 'a', attributes: { size: { version: '1'.repeat(65) } } }];
    const pool = { name: 'a', generation: 0, resourceSliceCount: 1 };
    expect(problems('io.k8s.api.resource.v1.ResourceSlice', { spec: { driver: 'a', pool, devices } })).toEqual([
      'spec.devices[0].attributes[size].version: Too long: may not be more than 64 bytes',
    ]);
  });
});
