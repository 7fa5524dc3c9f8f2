import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { canonicalize, encodeJson } from '../json/index.ts';
import type { ApiObject } from '../object.ts';
import type { StatusError } from '../status.ts';
import { applyConfig } from './apply-config.ts';
import { type Converting, withConversions } from './conversion.ts';
import { extractApplied } from './extract-applied.ts';
import { keepTimes, managerName, ownAfterWrite } from './plain-write.ts';
import { LAST_APPLIED } from './last-applied.ts';
import { excludeFields, type OwnedKind } from './versions.ts';
import { managedFieldsFromScale, managedFieldsOfScale } from './scale-managed-fields.ts';

const types = builtInTypes();

function typeOf(group: string, version: string, kind: string): OwnedKind['type'] {
  const type = types.kind({ group, version, kind });
  if (type === undefined) throw new Error(`No type for ${kind}`);
  return type;
}

/** The result of a computation on a kind with one version. */
function done<T>(work: Converting<T>): T {
  return withConversions(work, { convert: () => undefined }) as T;
}

/** An object with its managers, without a server. */
class Owned {
  object: ApiObject;
  readonly #blank: ApiObject;
  readonly #kind: OwnedKind;
  #second = 0;

  constructor(kind: OwnedKind) {
    this.#kind = kind;
    const { group, version } = kind.kind;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    this.#blank = canonicalize({ apiVersion, kind: kind.kind.kind, metadata: {} }, kind.type) as unknown as ApiObject;
    this.object = this.#blank;
  }

  write(manager: string, changed: object, kind = this.#kind): this {
    const object = canonicalize(changed, kind.type) as unknown as ApiObject;
    const managedFields = done(ownAfterWrite(this.object, object, { kind, writer: this.#writer(manager) }));
    this.object = { ...object, metadata: { ...object.metadata, uid: 'u', managedFields } };
    return this;
  }

  apply(manager: string, config: object, force = false, kind = this.#kind): this {
    const { apiVersion, kind: name } = this.#blank;
    const whole = { apiVersion, kind: name, ...config };
    const options = { kind, writer: this.#writer(manager), force, blank: this.#blank };
    const { object, managedFields } = done(applyConfig(this.object, whole, options));
    const decoded = canonicalize(object, kind.type) as unknown as ApiObject;
    this.object = { ...decoded, metadata: { ...decoded.metadata, uid: 'u', managedFields } };
    return this;
  }

  /** Managers as `manager operation(subresource)@second: paths`. */
  get managers(): string[] {
    return (this.object.metadata.managedFields ?? []).map(({ manager, operation, subresource, time, fieldsV1 }) => {
      const where = subresource === undefined ? '' : `(${subresource})`;
      return `${manager} ${operation}${where}@${time?.slice(17, 19) ?? '-'}: ${encodeJson(fieldsV1).replaceAll('"', '')}`;
    });
  }

  #writer(manager: string): { manager: string; time: string } {
    this.#second += 1;
    return { manager, time: `2026-01-01T00:00:${String(this.#second).padStart(2, '0')}Z` };
  }
}

const configMapKind: OwnedKind = {
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  type: typeOf('', 'v1', 'ConfigMap'),
  subresource: '',
};
const deploymentType = typeOf('apps', 'v1', 'Deployment');
const deploymentKind: OwnedKind = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  type: deploymentType,
  subresource: '',
  filter: excludeFields(['status']),
};
const statusKind: OwnedKind = {
  ...deploymentKind,
  subresource: 'status',
  filter: excludeFields(['spec'], ['metadata', 'labels']),
};

const data = (values: Record<string, string>): object => ({ metadata: { name: 'x' }, data: values });
const configMap = (): Owned => new Owned(configMapKind);

describe('a plain write', () => {
  test('owns what it creates, except the fields that identify the object', () => {
    expect(configMap().write('m', data({ a: '1' })).managers).toEqual(['m Update@01: {f:data:{.:{},f:a:{}}}']);
  });

  test('takes the fields that it changes from their managers, and leaves the rest', () => {
    const owned = configMap()
      .write('m', data({ a: '1', b: '1' }))
      .write('n', data({ a: '2', b: '1' }));
    expect(owned.managers).toEqual(['m Update@01: {f:data:{.:{},f:b:{}}}', 'n Update@02: {f:data:{f:a:{}}}']);
  });

  test('that changes nothing leaves the list itself as it was', () => {
    const owned = configMap().write('m', data({ a: '1' }));
    const before = owned.object.metadata.managedFields;
    expect(owned.write('n', data({ a: '1' })).object.metadata.managedFields).toBe(before);
  });

  test('that only removes fields drops managers, and changes no time', () => {
    const owned = configMap()
      .write('m', data({ a: '1' }))
      .write('n', data({ a: '1', b: '1' }))
      .write('o', data({ a: '1' }));
    expect(owned.managers).toEqual(['m Update@01: {f:data:{.:{},f:a:{}}}']);
  });

  test.each([[[]], [[{}]]])(
    'with managedFields %j forgets all managers, and from then on none are noted',
    (managedFields) => {
      const owned = configMap().write('m', data({ a: '1' }));
      const sent = { ...owned.object, metadata: { ...owned.object.metadata, managedFields } };
      const entries = done(
        ownAfterWrite(owned.object, sent, { kind: configMapKind, writer: { manager: 'n', time: '' } }),
      );
      expect(entries).toBeUndefined();
      owned.object = { ...owned.object, metadata: { ...owned.object.metadata, managedFields: undefined } };
      expect(owned.write('n', data({ a: '2' })).managers).toEqual([]);
    },
  );

  test('may change managedFields itself; malformed ones are ignored', () => {
    const owned = configMap().write('m', data({ a: '1' }));
    const entry = {
      manager: 'x',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:a': {} } },
    };
    expect(owned.write('n', { ...data({ a: '1' }), metadata: { name: 'x', managedFields: [entry] } }).managers).toEqual(
      ['x Update@-: {f:data:{f:a:{}}}'],
    );
    const bad = { ...entry, operation: 'Guess' };
    expect(owned.write('n', { ...data({ a: '1' }), metadata: { name: 'x', managedFields: [bad] } }).managers).toEqual([
      'x Update@-: {f:data:{f:a:{}}}',
    ]);
  });

  test('to a subresource is recorded with it, and owns only what it can change', () => {
    const spec = { selector: {}, template: { metadata: {}, spec: { containers: [] } }, replicas: 2 };
    const owned = new Owned(deploymentKind).write('m', { metadata: { name: 'x' }, spec, status: { replicas: 9 } });
    owned.write('n', { ...owned.object, spec: { ...spec, replicas: 3 }, status: { replicas: 3 } }, statusKind);
    expect(owned.managers.at(-1)).toBe('n Update(status)@02: {f:status:{f:replicas:{}}}');
    expect(owned.managers.join('')).not.toContain('m Update@01: {f:status');
  });

  test('of an object whose list items have no identity gives up ownership, but succeeds', () => {
    const kind: OwnedKind = {
      kind: { group: '', version: 'v1', kind: 'ServiceAccount' },
      type: typeOf('', 'v1', 'ServiceAccount'),
      subresource: '',
    };
    expect(new Owned(kind).write('m', { metadata: { name: 'x' }, secrets: [{ namespace: 'n' }] }).managers).toEqual([]);
  });

  test('by an eleventh updater merges the oldest two', () => {
    const owned = configMap();
    const values: Record<string, string> = {};
    for (let index = 0; index < 12; index++) {
      values[`k${index}`] = '1';
      owned.write(`m${index}`, data(values));
    }
    expect(owned.managers).toHaveLength(10);
    expect(owned.managers[0]).toBe('ancient-changes Update@03: {f:data:{.:{},f:k0:{},f:k1:{},f:k2:{}}}');
  });
});

describe('an apply', () => {
  test('owns what it sets, alone or with others who set the same', () => {
    const owned = configMap()
      .apply('m', data({ a: '1' }))
      .apply('n', data({ a: '1', b: '1' }));
    expect(owned.managers).toEqual(['m Apply@01: {f:data:{f:a:{}}}', 'n Apply@02: {f:data:{f:a:{},f:b:{}}}']);
  });

  test('that changes fields of other managers is refused, with a cause for each field', () => {
    const owned = configMap()
      .apply('m', data({ a: '1', b: '1' }))
      .write('n', data({ a: '1', b: '1', c: '1' }));
    const before = owned.object;
    expect(() => owned.apply('o', data({ a: '2', c: '2' }))).toThrow(
      'Apply failed with 2 conflicts: conflicts with "m":\n- .data.a\nconflicts with "n" using v1:\n- .data.c',
    );
    try {
      owned.apply('o', data({ a: '2' }));
    } catch (error) {
      const { code, reason, details } = (error as StatusError).status;
      expect([code, reason]).toEqual([409, 'Conflict']);
      expect(details).toEqual({
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m"', field: '.data.a' }],
      });
    }
    expect(owned.object).toBe(before);
  });

  test('with force takes them over', () => {
    const owned = configMap()
      .apply('m', data({ a: '1', b: '1' }))
      .apply('n', data({ a: '2' }), true);
    expect(owned.object['data']).toEqual({ a: '2', b: '1' });
    expect(owned.managers).toEqual(['m Apply@01: {f:data:{f:b:{}}}', 'n Apply@02: {f:data:{f:a:{}}}']);
  });

  test('removes what it no longer sets, unless another manager owns it', () => {
    const owned = configMap()
      .apply('m', data({ a: '1', b: '1' }))
      .apply('n', data({ b: '1' }))
      .apply('m', {});
    expect(owned.object['data']).toEqual({ b: '1' });
    expect(owned.managers).toEqual(['n Apply@-: {f:data:{f:b:{}}}']);
  });

  test('keeps fields without a manager, and what is in an item that others share', () => {
    const container = (extra: object): object => ({
      spec: { template: { spec: { containers: [{ name: 'c', ...extra }] } } },
    });
    const owned = new Owned(deploymentKind).apply('m', container({ image: 'i', env: [{ name: 'E', value: '1' }] }));
    owned.apply('n', container({ workingDir: '/w' })).apply('m', { metadata: { name: 'x' } });
    expect(owned.object).toMatchObject(container({ workingDir: '/w' }));
    expect(encodeJson(owned.object['spec'])).not.toContain('"image"');
  });

  test('that repeats itself changes nothing, not even a time', () => {
    const owned = configMap().apply('m', data({ a: '1' }));
    const before = encodeJson(owned.object);
    expect(encodeJson(owned.apply('m', data({ a: '1' })).object)).toBe(before);
  });

  test('to an object without managers adds one that stands for the past', () => {
    const owned = configMap().write('m', data({ a: '1' }));
    owned.object = { ...owned.object, metadata: { ...owned.object.metadata, managedFields: undefined } };
    expect(owned.apply('n', data({ b: '1' })).managers).toEqual([
      'n Apply@02: {f:data:{f:b:{}}}',
      'before-first-apply Update@02: {f:data:{.:{},f:a:{}}}',
    ]);
  });

  test.each([
    [{ kind: 'Secret' }, 400, 'invalid object type: /v1, Kind=Secret'],
    [{ apiVersion: 'a/b/c' }, 400, 'invalid object type: /, Kind='],
    [{ metadata: { managedFields: [] } }, 400, 'metadata.managedFields must be nil'],
    [
      { metadata: { name: 'x', unheard: 1 } },
      500,
      'failed to create typed patch object (/x; /v1, Kind=ConfigMap): .metadata.unheard: field not declared in schema',
    ],
  ])('of %j is refused', (config, code, message) => {
    expect(() => configMap().apply('m', config)).toThrow(expect.objectContaining({ message, code }) as Error);
  });

  test('by kubectl takes over what kubectl applied client-side, and updates its annotation', () => {
    const config = data({ a: '1' });
    const text = encodeJson({ apiVersion: 'v1', kind: 'ConfigMap', ...config });
    const annotated = { ...config, metadata: { name: 'x', annotations: { [LAST_APPLIED]: text } } };
    const start = (): Owned => configMap().write('kubectl-client-side-apply', annotated);
    expect(() => start().apply('someone', data({ a: '2' }))).toThrow(/1 conflict/);
    const owned = start().apply('kubectl', data({ a: '2' }));
    expect(owned.object['data']).toEqual({ a: '2' });
    expect(owned.object.metadata.annotations?.[LAST_APPLIED]).toBe(
      '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"x"}}\n',
    );
  });
});

test('extractApplied() returns what a manager applied and still owns', () => {
  const container = { name: 'c', image: 'i', ports: [{ containerPort: 80, protocol: 'TCP' }] };
  const config = {
    metadata: { name: 'x', labels: { a: '1' } },
    spec: { replicas: 2, template: { spec: { containers: [container] } } },
  };
  const owned = new Owned(deploymentKind)
    .apply('m', config)
    .apply('n', { metadata: { name: 'x' }, spec: { replicas: 3 } }, true);
  const { replicas: _, ...spec } = config.spec;
  const whole = { apiVersion: 'apps/v1', kind: 'Deployment', ...config, spec };
  expect(extractApplied(owned.object, deploymentType, { manager: 'm' })).toEqual(whole);
  expect(extractApplied(owned.object, deploymentType, { manager: 'unknown' })).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x' },
  });
});

describe('ownership of a Scale', () => {
  const scaled = {
    group: 'apps',
    version: 'v1',
    replicasPath: (apiVersion: string) => (apiVersion === 'apps/v1' ? ['spec', 'replicas'] : undefined),
  };
  const entry = (manager: string, fieldsV1: Record<string, unknown>, rest: object = {}): object => ({
    manager,
    operation: 'Apply',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...rest,
  });

  test("is that of its object's replicas, and is written back when it changes", () => {
    const parent = [entry('m', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } })];
    const own = managedFieldsOfScale(parent, scaled);
    expect(own).toEqual([entry('m', { 'f:spec': { 'f:replicas': {} } }, { apiVersion: 'autoscaling/v1' })]);
    expect(managedFieldsFromScale(parent, own, scaled)).toEqual(parent);
    const taken = [
      entry('n', { 'f:spec': { 'f:replicas': {} } }, { apiVersion: 'autoscaling/v1', subresource: 'scale' }),
    ];
    expect(managedFieldsFromScale(parent, taken, scaled)).toEqual([
      entry('m', { 'f:spec': { 'f:paused': {} } }),
      entry('n', { 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale' }),
    ]);
  });
});

test('keepTimes() keeps old times if nothing else differs, and new ones otherwise', () => {
  const entry = { manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };
  const object = (time: string, rest: object = {}): ApiObject => ({
    metadata: { managedFields: [{ ...entry, time }] },
    ...rest,
  });
  const old = object('1');
  expect(keepTimes(object('2'), old)).toBe(old.metadata.managedFields);
  expect(keepTimes(object('2', { data: {} }), old)?.[0]?.time).toBe('2');
});

test.each([
  ['me', 'agent/1', 'me'],
  ['', 'kubectl/v1.36 (linux)', 'kubectl'],
  ['', 'a\u0001b\u00e9/1', 'ab\u00e9'],
  ['', `${'x'.repeat(200)}/1`, 'x'.repeat(128)],
  ['', '', ''],
])('a writer that calls itself %j and comes as %j is noted as %j', (fieldManager, userAgent, name) => {
  expect(managerName(fieldManager, userAgent)).toBe(name);
});
