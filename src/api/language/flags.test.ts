import { describe, expect, test } from 'vitest';
import { TypeTable } from '../schema/type-table.ts';
import { pack } from './pack.ts';
import { parseDefinitions } from './parse.ts';

function fieldsOf(lines: string): ReturnType<TypeTable['struct']> {
  const text = `group test/v1\npackage io.test.v1\ntype T checked(b * {a, b})\n${lines}`;
  return new TypeTable(pack([parseDefinitions(text, 'test.api')])).struct('io.test.v1.T');
}

describe('the flags of a field', () => {
  test('are stored with the values they constrain', () => {
    const struct = fieldsOf('  a 1 []string enum(x|y) values(y|x) fill=["x"] list=set\n  b 2 map<int32> min=1');
    expect(struct.field('a')?.shape).toEqual({
      kind: 'list',
      element: { kind: 'scalar', scalar: 'string', constraints: { enum: ['x', 'y'], values: ['y', 'x'] } },
      listType: 'set',
      isWrapped: false,
      constraints: { fill: ['x'] },
    });
    expect(struct.field('b')?.shape).toMatchObject({ kind: 'map', value: { constraints: { minimum: 1 } } });
  });

  test('name the Go type and the enclosing Go structs if they cannot be derived', () => {
    const struct = fieldsOf('  a 1 []string go=[]v1.Kind\n  b 2.3.1 string in=Outer,Inner');
    expect(struct.field('a')?.goType).toBe('[]v1.Kind');
    expect(struct.field('b')?.goInside).toEqual(['Outer', 'Inner']);
  });

  test('may contain texts with blanks and parentheses', () => {
    const struct = fieldsOf(
      '  a 1 int32 required=published outside("must be (octal)") zero=missing missing("say \\"how\\"")',
    );
    expect(struct.field('a')).toMatchObject({
      required: true,
      isOnlyPublished: true,
      missingSays: 'say "how"',
      shape: { constraints: { belowSays: 'must be (octal)', aboveSays: 'must be (octal)', zero: 'missing' } },
    });
  });

  test('of the type set the order in which upstream checks the fields', () => {
    expect(fieldsOf('  a 1 string').checkedFirst).toEqual(['b', '*', '{a, b}']);
  });

  test('share one shape with all fields without constraints', () => {
    const struct = fieldsOf('  a 1 string required\n  b 2 string');
    expect(struct.field('a')?.shape).toBe(struct.field('b')?.shape);
  });

  test.each([
    ['required=maybe', 'required is either all or "published" or "checked", got "maybe"'],
    ['at=home', '"home" is not parent or list'],
    ['below(12)', '(12) is not a text'],
    ['zero=1', 'zero is missing or absent, not "1"'],
  ])('are refused when they are not understood: %s', (flag, problem) => {
    expect(() => fieldsOf(`  a 1 int32 ${flag}`)).toThrow(`test.api:4: ${problem}`);
  });
});
