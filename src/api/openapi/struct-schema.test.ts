import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import type { Descriptions } from './descriptions.ts';
import { structSchema } from './struct-schema.ts';

const silent: Descriptions = { ofType: () => undefined, ofField: () => undefined };
const talking: Descriptions = { ofType: () => 'The type', ofField: (_, field) => `The ${field}` };
const types = builtInTypes();

function property(
  type: string,
  field: string,
  options: { version?: 'v2' | 'v3'; descriptions?: Descriptions } = {},
): unknown {
  const { version = 'v3', descriptions = silent } = options;
  return structSchema(types.struct(type), version, { types, descriptions }).properties?.[field];
}

const v3 = '#/components/schemas';

describe('structSchema()', () => {
  test('gives a struct that is always present an empty default', () => {
    expect(property('io.k8s.api.core.v1.Pod', 'spec')).toEqual({
      default: {},
      allOf: [{ $ref: `${v3}/io.k8s.api.core.v1.PodSpec` }],
    });
  });

  test('gives a struct that may be absent no default, and leaves its reference bare', () => {
    expect(property('io.k8s.api.core.v1.PodSpec', 'affinity')).toEqual({ $ref: `${v3}/io.k8s.api.core.v1.Affinity` });
  });

  test('puts a reference with a description into allOf in v3 and beside it in v2', () => {
    const described = { descriptions: talking };
    expect(property('io.k8s.api.core.v1.PodSpec', 'affinity', described)).toEqual({
      description: 'The affinity',
      allOf: [{ $ref: `${v3}/io.k8s.api.core.v1.Affinity` }],
    });
    expect(property('io.k8s.api.core.v1.PodSpec', 'affinity', { ...described, version: 'v2' })).toEqual({
      description: 'The affinity',
      $ref: '#/definitions/io.k8s.api.core.v1.Affinity',
    });
  });

  test('gives a scalar that is always written its zero as default, in v3 only', () => {
    expect(property('io.k8s.api.core.v1.Container', 'name')).toEqual({ type: 'string', default: '' });
    expect(property('io.k8s.api.core.v1.Container', 'name', { version: 'v2' })).toEqual({ type: 'string' });
    expect(property('io.k8s.api.core.v1.Container', 'image')).toEqual({ type: 'string' });
  });

  test('gives list items and map values their zero as default', () => {
    expect(property('io.k8s.api.core.v1.Container', 'command')).toEqual({
      type: 'array',
      items: { type: 'string', default: '' },
      'x-kubernetes-list-type': 'atomic',
    });
    expect(property('io.k8s.api.core.v1.ConfigMap', 'data')).toEqual({
      type: 'object',
      additionalProperties: { type: 'string', default: '' },
    });
  });

  test('prefers a default in the schema to the zero', () => {
    expect(property('io.k8s.api.core.v1.ContainerPort', 'protocol')).toEqual({
      type: 'string',
      default: 'TCP',
      enum: ['SCTP', 'TCP', 'UDP'],
    });
  });

  test('describes how lists are merged and owned', () => {
    expect(property('io.k8s.api.core.v1.PodSpec', 'containers')).toEqual({
      type: 'array',
      items: { default: {}, allOf: [{ $ref: `${v3}/io.k8s.api.core.v1.Container` }] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
  });

  test('references times, quantities and the like without a default', () => {
    expect(property('io.k8s.api.core.v1.PodCondition', 'lastTransitionTime')).toEqual({
      $ref: `${v3}/io.k8s.apimachinery.pkg.apis.meta.v1.Time`,
    });
    expect(property('io.k8s.api.core.v1.ResourceRequirements', 'limits')).toEqual({
      type: 'object',
      additionalProperties: { $ref: `${v3}/io.k8s.apimachinery.pkg.api.resource.Quantity` },
    });
  });

  test('describes unions and atomic types', () => {
    expect(
      structSchema(types.struct('io.k8s.api.core.v1.SeccompProfile'), 'v3', { types, descriptions: silent }),
    ).toMatchObject({
      'x-kubernetes-unions': [
        { discriminator: 'type', 'fields-to-discriminateBy': { localhostProfile: 'LocalhostProfile' } },
      ],
    });
    expect(
      structSchema(types.struct('io.k8s.api.core.v1.LocalObjectReference'), 'v3', { types, descriptions: talking }),
    ).toEqual({
      description: 'The type',
      type: 'object',
      properties: { name: { description: 'The name', type: 'string', default: '' } },
      'x-kubernetes-map-type': 'atomic',
    });
  });
});
