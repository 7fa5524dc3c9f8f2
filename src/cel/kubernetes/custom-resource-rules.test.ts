import { describe, expect, test } from 'vitest';
import { literalText } from '../values/index.ts';
import { ruleEnvironment } from './custom-resource-rules.ts';
import { compileRule, isProblem } from './rule-compiler.ts';
import { structuralShape, type StructuralSchema as Schema } from '../../api/values/index.ts';

function answer(schema: Schema, text: string, self: unknown): string {
  const rules = ruleEnvironment(structuralShape(schema));
  if (rules === undefined) return 'no type';
  const compiled = rules.environment.compile(text);
  if (!compiled.ok) return compiled.issues.list[0]?.message ?? '';
  const result = compiled.expression.program().evaluate({ self });
  return result.ok ? literalText(result.value) : `error: ${result.error}`;
}

const object = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties });

describe('data of a schema', () => {
  test('has the types that formats give it', () => {
    const schema = object({
      when: { type: 'string', format: 'date-time' },
      wait: { type: 'string', format: 'duration' },
      data: { type: 'string', format: 'byte' },
    });
    const self = { when: '2024-02-29T12:00:00Z', wait: '1h', data: 'YWJj' };
    expect(answer(schema, 'self.when.getFullYear()', self)).toBe('2024');
    expect(answer(schema, "self.when + self.wait == timestamp('2024-02-29T13:00:00Z')", self)).toBe('true');
    expect(answer(schema, 'self.data', self)).toBe('b"abc"');
  });

  test('is an int or a string where the schema allows both', () => {
    const schema = object({ port: { 'x-kubernetes-int-or-string': true } });
    const rule = "type(self.port) == int ? self.port > 0 : self.port.matches('^[a-z]+$')";
    expect(answer(schema, rule, { port: 80 })).toBe('true');
    expect(answer(schema, rule, { port: 'http' })).toBe('true');
  });

  test('hides fields that the schema does not name, even where unknown fields are preserved', () => {
    const schema: Schema = { ...object({ a: { type: 'integer' } }), 'x-kubernetes-preserve-unknown-fields': true };
    expect(answer(schema, 'self.a', { a: 1, b: 2 })).toBe('1');
    expect(answer(schema, 'self.b', { a: 1, b: 2 })).toBe("undefined field 'b'");
  });

  test('uses escaped names', () => {
    const schema = object({ 'a-b': { type: 'integer' }, 'c.d/e': { type: 'integer' }, namespace: { type: 'string' } });
    expect(answer(schema, 'self.a__dash__b + self.c__dot__d__slash__e', { 'a-b': 1, 'c.d/e': 2 })).toBe('3');
  });

  test('of sets and lists with keys is equal in any order, and adds up without duplicates', () => {
    const set: Schema = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    expect(answer(object({ a: set, b: set }), 'self.a == self.b', { a: ['x', 'y'], b: ['y', 'x'] })).toBe('true');
    expect(answer(object({ a: set, b: set }), '(self.a + self.b).size()', { a: ['x', 'y'], b: ['y', 'z'] })).toBe('3');
  });

  test('cannot be seen without a type', () => {
    expect(answer({}, 'true', {})).toBe('no type');
  });
});

describe('a rule', () => {
  const rules = ruleEnvironment(structuralShape(object({ replicas: { type: 'integer' } }), { isResource: true }));
  if (rules === undefined) throw new Error('no type');

  test('must be a bool, and its message a string', () => {
    expect(compileRule({ rule: 'self.replicas' }, rules)).toEqual({
      kind: 'invalid',
      detail: 'cel expression must evaluate to a bool',
    });
    const compiled = compileRule({ rule: 'self.replicas > 0', messageExpression: 'self.replicas' }, rules);
    expect(compiled).toMatchObject({ message: { detail: 'messageExpression must evaluate to a string' } });
  });

  test('reports whether it uses oldSelf', () => {
    const compiled = compileRule({ rule: 'self.replicas >= oldSelf.replicas' }, rules);
    if (compiled === undefined || isProblem(compiled)) throw new Error('not compiled');
    expect(compiled.usesOldSelf).toBe(true);
    expect(compiled.program.evaluate({ self: { replicas: 2 }, oldSelf: { replicas: 3 } })).toMatchObject({
      value: false,
    });
  });

  test('sees name and kind of a resource, whatever the schema says', () => {
    const compiled = compileRule({ rule: 'self.metadata.name != self.kind' }, rules);
    expect(compiled !== undefined && !isProblem(compiled)).toBe(true);
  });

  test('that is blank is left to validation', () => {
    expect(compileRule({ rule: ' \n' }, rules)).toBeUndefined();
  });
});
