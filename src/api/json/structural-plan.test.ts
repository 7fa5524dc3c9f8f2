import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { structuralKind } from '../schema/structural-kind.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { canonicalize } from './canonicalize.ts';
import { decodeJson } from './decode-json.ts';
import { encodeJson } from './encode-json.ts';

const object = (properties: StructuralSchema['properties'], more: StructuralSchema = {}): StructuralSchema => ({
  type: 'object',
  properties,
  ...more,
});

const types = builtInTypes();
const text: StructuralSchema = { type: 'string' };

function kindOf(spec: StructuralSchema): ReturnType<typeof structuralKind> {
  return structuralKind(object({ spec }), { group: 'example.dev', version: 'v1', kind: 'Widget' }, { types });
}

/** The canonical spec. */
function kept(spec: unknown, schema: StructuralSchema, defaults = true): unknown {
  return canonicalize({ spec }, kindOf(schema), { defaults })['spec'];
}

describe('a structural type', () => {
  test('has its OpenAPI name', () => {
    expect(kindOf(text).name).toBe('dev.example.v1.Widget');
  });

  test('sorts keys, also those of metadata, which is always present', () => {
    const struct = kindOf(object({ b: text, a: text }));
    const sent = {
      spec: { b: '1', a: '2' },
      kind: 'Widget',
      metadata: { name: 'x', labels: { b: '', a: '' }, generation: 1 },
    };
    expect(encodeJson(canonicalize(sent, struct))).toBe(
      '{"kind":"Widget","metadata":{"generation":1,"labels":{"a":"","b":""},"name":"x"},"spec":{"a":"2","b":"1"}}',
    );
    expect(canonicalize({}, struct)).toEqual({ metadata: {} });
  });

  test('prunes unknown fields in objects, items and map values', () => {
    const inner = object({ a: text });
    const schema = object({
      list: { type: 'array', items: inner },
      map: { type: 'object', additionalProperties: inner },
      text,
    });
    const spec = { gone: 1, list: [{ a: 'x', gone: {} }], map: { k: { a: 'x', gone: 1 } }, text: { gone: 1 } };
    expect(kept(spec, schema)).toEqual({ list: [{ a: 'x' }], map: { k: { a: 'x' } }, text: {} });
  });

  test('keeps fields that it preserves, and prunes again below a known field', () => {
    const preserving = object({ a: object({ b: text }) }, { 'x-kubernetes-preserve-unknown-fields': true });
    expect(kept({ z: { y: 1 }, a: { b: 'x', gone: 1 } }, preserving)).toEqual({ a: { b: 'x' }, z: { y: 1 } });
    expect(kept({ any: [{ a: null }] }, object({ any: { 'x-kubernetes-preserve-unknown-fields': true } }))).toEqual({
      any: [{ a: null }],
    });
  });

  test('keeps values of a wrong type for validation', () => {
    expect(kept({ a: 1, list: 'x' }, object({ a: text, list: { type: 'array', items: text } }))).toEqual({
      a: 1,
      list: 'x',
    });
  });

  test('fills in defaults at any depth, only on request', () => {
    const port = object({ protocol: { ...text, default: 'TCP' } });
    const schema = object({
      replicas: { type: 'integer', default: 1 },
      main: { ...port, default: {} },
      ports: { type: 'array', items: port },
      named: { type: 'object', additionalProperties: port },
    });
    expect(kept({ ports: [{}], named: { a: {} } }, schema)).toEqual({
      main: { protocol: 'TCP' },
      named: { a: { protocol: 'TCP' } },
      ports: [{ protocol: 'TCP' }],
      replicas: 1,
    });
    expect(kept({ ports: [{}] }, schema, false)).toEqual({ ports: [{}] });
    expect(encodeJson(kept({ ports: [{}] }, schema))).toBe(
      '{"main":{"protocol":"TCP"},"ports":[{"protocol":"TCP"}],"replicas":1}',
    );
  });

  test('refuses an object that its defaults make larger than any store takes', () => {
    const filled = object({ a: { type: 'string', default: 'x'.repeat(1_000) } });
    const schema: StructuralSchema = { type: 'array', items: filled };
    const items = (count: number): string => JSON.stringify({ spec: Array.from({ length: count }, () => ({})) });
    expect(decodeJson(items(1_000), kindOf(schema), { defaults: true }).filledBytes).toBe(1_000_000);
    expect(() => decodeJson(items(100_000), kindOf(schema), { defaults: true })).toThrow(
      'with its defaults, it is larger than 1572864 bytes',
    );
  });

  test('treats null as a value if it is nullable, and otherwise as absence', () => {
    const schema = object({
      plain: text,
      defaulted: { ...text, default: 'x' },
      nullable: { ...text, nullable: true, default: 'x' },
      items: { type: 'array', items: text },
      map: { type: 'object', additionalProperties: text },
    });
    const spec = { plain: null, defaulted: null, nullable: null, items: [null], map: { a: null } };
    expect(kept(spec, schema)).toEqual({ defaulted: 'x', nullable: null, items: [null], map: {} });
    expect(kept(spec, schema, false)).toEqual({ defaulted: null, nullable: null, items: [null], map: {} });
  });

  test('recognizes embedded objects by their metadata', () => {
    const schema = object({
      template: object({ spec: object({ a: text }) }, { 'x-kubernetes-embedded-resource': true }),
    });
    const template = { kind: 'A', metadata: { name: 'x', gone: 1 }, gone: 1, spec: { a: 'b', gone: 1 } };
    expect(kept({ template }, schema)).toEqual({ template: { kind: 'A', metadata: { name: 'x' }, spec: { a: 'b' } } });
    expect(() => kept({ template: { metadata: { name: 1 } } }, schema)).toThrow(
      'json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    );
  });

  test('lists duplicates in order, then unknown metadata, then pruned fields', () => {
    const struct = kindOf(object({ a: text, free: { 'x-kubernetes-preserve-unknown-fields': true } }));
    const body = '{"z":{"y":1,"y":2},"spec":{"b":1,"a":"1","a":"2","free":{"x":1}},"metadata":{"name":"n","odd":1}}';
    const { value, warnings } = decodeJson(body, struct, { fieldValidation: 'Warn' });
    expect(value).toEqual({ metadata: { name: 'n' }, spec: { a: '2', free: { x: 1 } } });
    expect(warnings).toEqual([
      'duplicate field "z.y"',
      'duplicate field "spec.a"',
      'unknown field "metadata.odd"',
      'unknown field "spec.b"',
      'unknown field "z"',
    ]);
  });

  test('prunes what is nested too deeply to be checked', () => {
    const body = `{"gone":${'['.repeat(9000)}${']'.repeat(9000)}}`;
    const { warnings } = decodeJson(body, kindOf(text), { fieldValidation: 'Warn' });
    expect(warnings).toEqual(['unknown field "gone"']);
  });

  test('refuses what is nested too deeply', () => {
    const deep = JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) as unknown;
    expect(() => kept({ a: deep }, object({ a: text }))).toThrow('exceeded max depth');
    expect(() => kept({ a: deep }, object({ a: { 'x-kubernetes-preserve-unknown-fields': true } }))).toThrow(
      'exceeded max depth',
    );
  });
});
