import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import type { Field, Shape, Struct } from '../schema/schema.ts';
import { canonicalize } from './canonicalize.ts';
import { DecodeError, deepFreeze } from '../../base/index.ts';
import { encodeJson } from './encode-json.ts';

const types = builtInTypes();

function canonical(type: string, value: unknown, options?: Parameters<typeof canonicalize>[2]): string {
  return encodeJson(canonicalize(value, types.struct(type), options));
}

describe('canonicalize()', () => {
  test('puts fields in the order of the type and sorts maps', () => {
    expect(
      canonical('io.k8s.api.core.v1.ConfigMap', {
        data: { b: '1', a: '2' },
        metadata: { name: 'x' },
        kind: 'ConfigMap',
      }),
    ).toBe('{"kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"2","b":"1"}}');
  });

  test('sorts keys by their UTF-8 bytes, not by UTF-16 units', () => {
    expect(canonical('io.k8s.api.core.v1.ConfigMap', { data: { '\u{1f600}': '1', '\uff5e': '2' } })).toBe(
      '{"metadata":{},"data":{"\uff5e":"2","\u{1f600}":"1"}}',
    );
  });

  test('drops nulls, zero values, empty lists and unknown fields, and reports the last', () => {
    const unknown: string[] = [];

    expect(
      canonical(
        'io.k8s.api.core.v1.Pod',
        {
          spec: { containers: [{ name: 'a', image: '', args: [], foo: 1, tty: false }], hostNetwork: null, bar: {} },
          x: 1,
        },
        { onUnknown: (path) => unknown.push(path) },
      ),
    ).toBe('{"metadata":{},"spec":{"containers":[{"name":"a","resources":{}}]},"status":{}}');
    expect(unknown).toEqual(['spec.containers[0].foo', 'spec.bar', 'x']);
  });

  test('writes what Go cannot omit: struct values, unset times, required scalars, lists that are always written', () => {
    expect(canonical('io.k8s.api.core.v1.Event', {})).toBe(
      '{"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}',
    );
    expect(canonical('io.k8s.api.rbac.v1.Role', { rules: [] })).toBe('{"metadata":{},"rules":null}');
    expect(canonical('io.k8s.api.apps.v1.ControllerRevision', {})).toBe('{"metadata":{},"data":null,"revision":0}');
    expect(canonical('io.k8s.api.core.v1.ServicePort', { port: 80 })).toBe('{"port":80,"targetPort":0}');
  });

  test('omits an unset creation time', () => {
    expect(canonical('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', { creationTimestamp: null })).toBe('{}');
  });

  test('reuses frozen parts of an object that is known to be canonical', () => {
    const type = types.struct('io.k8s.api.core.v1.Pod');
    const known = canonicalize(
      {
        metadata: { name: 'a', labels: { b: '1', a: '2' } },
        spec: { containers: [{ name: 'c' }] },
        status: { conditions: [{ type: 'Ready', status: 'False' }] },
      },
      type,
      { defaults: true },
    );
    deepFreeze(known);
    const { metadata, status } = known as { metadata: object; status: object };
    const changed = { ...known, metadata: { ...metadata, uid: 'u' }, status: { ...status, phase: 'Running' } };
    const result = canonicalize(changed, type, { defaults: true, known });

    expect(encodeJson(result)).toBe(encodeJson(canonicalize(changed, type, { defaults: true })));
    expect(result['spec']).toBe(known['spec']);
    expect((result['metadata'] as typeof known)['labels']).toBe((metadata as typeof known)['labels']);
    expect((result['status'] as typeof known)['conditions']).toBe((status as typeof known)['conditions']);
    expect(result['metadata']).not.toBe(metadata);
    const open = { ...changed, spec: { containers: null, hostNetwork: false } };
    expect(encodeJson(canonicalize(open, type, { known }))).toBe(encodeJson(canonicalize(open, type)));
  });

  test('keeps pointers to zero values', () => {
    expect(canonical('io.k8s.api.apps.v1.DeploymentSpec', { replicas: 0, minReadySeconds: 0 })).toBe(
      '{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}}',
    );
  });

  test('gives quantities, times and base64 their canonical form', () => {
    expect(canonical('io.k8s.api.core.v1.ResourceRequirements', { limits: { cpu: 0.5, memory: '1024Mi', x: 2 } })).toBe(
      '{"limits":{"cpu":"500m","memory":"1Gi","x":"2"}}',
    );
    expect(
      canonical('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', {
        creationTimestamp: '2026-01-02T03:04:05.9+01:00',
      }),
    ).toBe('{"creationTimestamp":"2026-01-02T02:04:05Z"}');
    expect(canonical('io.k8s.api.core.v1.Secret', { data: { a: 'YWI=\n', b: null, c: [97, 98] } })).toBe(
      '{"metadata":{},"data":{"a":"YWI=","b":"","c":"YWI="}}',
    );
  });

  test('reads null list elements and map values as zero values', () => {
    expect(canonical('io.k8s.api.core.v1.PodSpec', { containers: [null], nodeSelector: { a: null } })).toBe(
      '{"containers":[{"name":"","resources":{}}],"nodeSelector":{"a":""}}',
    );
  });

  test('keeps raw JSON in its order, and JSON of schemas sorted', () => {
    expect(canonical('io.k8s.api.apps.v1.ControllerRevision', { data: { b: 1, a: [] } })).toContain(
      '"data":{"b":1,"a":[]}',
    );
    expect(
      canonical('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps', {
        default: { b: { d: 1, c: 2 }, a: 1 },
        items: 5,
        additionalProperties: { foo: 1, type: 'string' },
      }),
    ).toBe('{"default":{"a":1,"b":{"c":2,"d":1}},"items":null,"additionalProperties":{"type":"string"}}');
  });

  test('keeps 64-bit integers exactly', () => {
    expect(canonical('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', { generation: 9007199254740993n })).toBe(
      '{"generation":9007199254740993}',
    );
    expect(canonical('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', { generation: 5n })).toBe('{"generation":5}');
  });

  test('stores keys that are special in JavaScript as own properties', () => {
    const labels = JSON.parse('{"constructor":"1","__proto__":"2","toString":"3"}') as object;
    const result = canonicalize({ labels }, types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));

    expect(Object.getPrototypeOf(result['labels'])).toBe(Object.prototype);
    expect(encodeJson(result)).toBe('{"labels":{"__proto__":"2","constructor":"1","toString":"3"}}');
  });

  test('treats null as an empty object', () => {
    expect(canonical('io.k8s.api.core.v1.ConfigMap', null)).toBe('{"metadata":{}}');
  });

  test("throws Kubernetes' error for a value of the wrong type", () => {
    expect(() => canonical('io.k8s.api.apps.v1.Deployment', { spec: { replicas: 'x' } })).toThrow(
      new DecodeError(
        'mismatch',
        'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
      ),
    );
    expect(() => canonical('io.k8s.api.apps.v1.Deployment', { spec: { replicas: 1.5 } })).toThrow('number 1.5');
    expect(() => canonical('io.k8s.api.apps.v1.Deployment', [])).toThrow(
      'json: cannot unmarshal array into Go value of type v1.Deployment',
    );
  });

  test('refuses nesting that is too deep for later steps', () => {
    let value: unknown = {};
    for (let depth = 0; depth < 2000; depth++) value = { not: value };

    expect(() =>
      canonicalize(value, types.struct('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps')),
    ).toThrow(new DecodeError('depth', 'exceeded max depth'));
  });
});

describe('canonicalize() with defaults', () => {
  const port = struct('Port', [
    field('name', { kind: 'scalar', scalar: 'string', constraints: { fill: 'http' } }),
    field('number', { kind: 'scalar', scalar: 'int32', constraints: { default: 80 } }, { presence: 'pointer' }),
  ]);
  const service = struct('Service', [
    field('type', { kind: 'scalar', scalar: 'string', constraints: { fill: 'ClusterIP' } }),
    field('weight', { kind: 'scalar', scalar: 'int32', constraints: { fill: 5 } }),
    field('main', { kind: 'struct', struct: port }),
    field('extra', { kind: 'struct', struct: port }, { presence: 'pointer' }),
    field('status', { kind: 'struct', struct: port, constraints: { fill: {} } }, { presence: 'pointer' }),
    field('ports', {
      kind: 'list',
      element: { kind: 'struct', struct: port },
      isWrapped: false,
    }),
    field('byName', { kind: 'map', value: { kind: 'struct', struct: port } }),
    field('modes', {
      kind: 'list',
      element: { kind: 'scalar', scalar: 'string' },
      isWrapped: false,
      constraints: { fill: ['rw'] },
    }),
  ]);

  function filled(value: unknown): string {
    return encodeJson(canonicalize(value, service, { defaults: true }));
  }

  test('fills absent pointers and zero values, also in struct values, and recursively in what it fills in', () => {
    expect(filled({})).toBe(
      '{"type":"ClusterIP","weight":5,"main":{"name":"http","number":80},"status":{"name":"http","number":80},"modes":["rw"]}',
    );
    expect(filled({ type: '', weight: 0, modes: [], status: null })).toBe(filled({}));
  });

  test('keeps existing values, including pointers to zero', () => {
    expect(filled({ type: 'x', weight: 1, main: { name: 'a', number: 0 }, status: { number: 1 }, modes: ['a'] })).toBe(
      '{"type":"x","weight":1,"main":{"name":"a","number":0},"status":{"name":"http","number":1},"modes":["a"]}',
    );
  });

  test('fills list elements, map values and existing structs', () => {
    expect(filled({ extra: {}, ports: [{}, { name: 'b' }], byName: { k: {} } })).toBe(
      '{"type":"ClusterIP","weight":5,"main":{"name":"http","number":80},"extra":{"name":"http","number":80},' +
        '"status":{"name":"http","number":80},"ports":[{"name":"http","number":80},{"name":"b","number":80}],' +
        '"byName":{"k":{"name":"http","number":80}},"modes":["rw"]}',
    );
  });

  test('gives every object a separate copy', () => {
    const first = canonicalize({}, service, { defaults: true });
    const second = canonicalize({}, service, { defaults: true });

    expect(first['modes']).not.toBe(second['modes']);
    expect(first['status']).not.toBe(second['status']);
  });

  test('accepts all defaults that the definition files declare', () => {
    for (const name of types.names()) canonicalize({}, types.struct(name), { defaults: true });
    for (const name of types.names()) {
      for (const { name: key, shape } of types.struct(name).fields) {
        const value = shape.constraints?.default ?? shape.constraints?.fill;
        if (value !== undefined) expect(() => canonicalize({ [key]: value }, types.struct(name))).not.toThrow();
      }
    }
  });
});

describe('canonicalize() with types made at run time', () => {
  const spec = struct(
    'Spec',
    [
      field('replicas', { kind: 'scalar', scalar: 'int64', constraints: { nullable: true } }, { presence: 'pointer' }),
      field(
        'list',
        { kind: 'list', element: { kind: 'scalar', scalar: 'string' }, isWrapped: false },
        { presence: 'pointer' },
      ),
    ],
    { preservesUnknown: true },
  );

  test('keeps unknown fields if the type says so, all keys sorted', () => {
    expect(encodeJson(canonicalize({ z: { b: 1, a: null }, replicas: 1, a: [{ d: 1, c: 2 }] }, spec))).toBe(
      '{"a":[{"c":2,"d":1}],"replicas":1,"z":{"a":null,"b":1}}',
    );
  });

  test('keeps null if the type says so, and empty values behind pointers', () => {
    expect(encodeJson(canonicalize({ replicas: null, list: [] }, spec))).toBe('{"replicas":null,"list":[]}');
  });

  test('accepts fields named like methods of objects', () => {
    const odd = struct('Odd', [
      field('constructor', { kind: 'scalar', scalar: 'string' }),
      field('__proto__', { kind: 'scalar', scalar: 'string' }),
    ]);

    expect(encodeJson(canonicalize({}, odd))).toBe('{}');
    expect(encodeJson(canonicalize(JSON.parse('{"__proto__":"a","constructor":"b"}'), odd))).toBe(
      '{"constructor":"b","__proto__":"a"}',
    );
  });
});

function field(name: string, shape: Shape, options: Partial<Field> = {}): Field {
  return {
    name,
    number: 0,
    inside: [],
    shape,
    presence: 'value',
    omit: 'empty',
    required: false,
    immutable: false,
    ...options,
  };
}

function struct(shortName: string, fields: readonly Field[], options: Partial<Struct> = {}): Struct {
  return {
    name: `test.v1.${shortName}`,
    shortName,
    fields,
    field: (name) => fields.find((candidate) => candidate.name === name),
    kind: undefined,
    isAtomic: false,
    unions: [],
    preservesUnknown: false,
    ...options,
  };
}
