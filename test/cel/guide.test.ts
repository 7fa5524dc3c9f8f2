import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { YamlBody } from '../../src/api/index.ts';
import { admissionEnvironment, baseEnvironment, DYN, type Environment, literalText } from '../../src/cel/index.ts';
import { runProgram } from '../../src/cli/program.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/cel.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map((match) => match[1] ?? '');
const files = blocks('yaml').map((text) => ({ name: /^# (\S+)$/m.exec(text)?.[1] ?? '', text }));

describe('the examples of the guide', () => {
  const environment = baseEnvironment().extend({ variables: [{ name: 'self', type: DYN }] });
  const self = new YamlBody(files.find(({ name }) => name === 'web.yaml')?.text ?? '').untyped();
  const examples = blocks('cel').flatMap((block) => block.trim().split('\n'));

  test('are many', () => {
    expect(examples.length).toBeGreaterThan(120);
  });

  test.each(examples)('%s', (line) => {
    const [expression = '', expected] = line.split(/\s*\/\/ => /);
    expect(evaluate(environment, expression, self)).toBe(expected);
  });
});

function evaluate(environment: Environment, expression: string, self: unknown): string {
  const compiled = environment.compile(expression);
  if (!compiled.ok) return compiled.issues.toString();
  const result = compiled.expression.program().evaluate({ self });
  return result.ok ? literalText(result.value) : `error: ${result.error}`;
}

test.each(blocks('cel-policy').flatMap((block) => block.trim().split('\n')))('a policy may say %s', (expression) => {
  const environment = admissionEnvironment({ hasAuthorizer: true, hasPatchTypes: true });
  const compiled = environment.compile(expression);
  expect(compiled.ok ? '' : compiled.issues.toString()).toBe('');
});

test('the guide names every function', () => {
  const names = [...baseEnvironment().functions()]
    .map(({ name }) => name)
    .filter((name) => /^[a-z][\w.]*$/i.test(name));
  expect(names.filter((name) => !new RegExp(`\\b${name.replaceAll('.', '\\.')}\\b`).test(guide))).toEqual([]);
});

describe('the command lines of the guide', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-guide-'));
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(blocks('console'))('%s', async (block) => {
    const [line = '', ...answer] = block.split('\n');
    const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '').slice(2);
    let output = '';
    const write = (text: string): unknown => (output += text);
    await runProgram(
      args.map((arg) => (arg.endsWith('.yaml') ? join(folder, arg) : arg)),
      { env: {}, stdout: { write }, stderr: { write }, once: () => undefined },
    );
    expect(output).toBe(answer.join('\n'));
  });
});
