import { expect, test } from 'vitest';
import { baseEnvironment } from '../kubernetes/base-environment.ts';
import { literalText } from './literal-text.ts';

function shown(text: string): string {
  const compiled = baseEnvironment().compile(text);
  if (!compiled.ok) throw new Error(compiled.issues.toString());
  const result = compiled.expression.program().evaluate({});
  return result.ok ? literalText(result.value) : result.error;
}

test.each([
  'null',
  '1',
  '-9223372036854775808',
  '2.0',
  '1e+300',
  '5u',
  String.raw`"a\"b\n"`,
  String.raw`b"a\x00\"`.replace(/\\"$/, String.raw`\x22"`),
  '[[1], [2, 3]]',
  '{"a": {1: true}}',
  'duration("1.5s")',
  'timestamp("2024-02-29T12:34:56.789Z")',
  'optional.of("a")',
  'optional.none()',
  'quantity("1500m")',
  'ip("::1")',
  'cidr("10.0.0.0/8")',
  'url("https://example.com/a")',
  'semver("1.2.3-rc.1")',
  'int',
  'double("NaN")',
])('%s is shown as it is written', (text) => {
  expect(shown(text)).toBe(text);
});
