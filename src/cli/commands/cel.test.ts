import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../program.ts';

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: routes.example.com }
spec:
  versions:
    - name: v1
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                replicas: { type: integer }
                backends:
                  type: array
                  maxItems: 4
                  items: { type: object, properties: { name: { type: string, maxLength: 10 }, weight: { type: integer } } }
                notes: { type: array, items: { type: string } }
    - name: v1beta1
      schema:
        openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: string } } } } }
    - name: v1alpha1
`;

const ROUTE = `
apiVersion: example.com/v1
kind: Route
metadata: { name: checkout }
spec:
  replicas: 3
  backends: [{ name: a, weight: 60 }, { name: b, weight: 40 }]
`;

let folder: string;
const file = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-cel-'));
  writeFileSync(file('crd.yaml'), CRD);
  writeFileSync(file('route.yaml'), ROUTE);
  writeFileSync(file('small.yaml'), 'replicas: 3\nbig: 9007199254740993\n');
  writeFileSync(file('broken.yaml'), 'a: [1\n');
  writeFileSync(file('params.json'), '{"max": 5}');
  writeFileSync(file('schema.yaml'), 'type: object\nproperties: { replicas: { type: integer } }\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

async function cel(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const code = await runProgram(['cel', ...args], {
    env: {},
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    once: () => undefined,
  });
  return { code, out, err: err.replaceAll(folder, 'DIR') };
}

describe('keelson cel', () => {
  test('shows result, type and cost of an expression on data without a schema', async () => {
    expect(await cel('self.replicas <= 5', '--input', file('small.yaml'))).toEqual({
      code: 0,
      out: 'result  true\ntype    bool\ncost    3 (estimated 2, limit 1000000)\n',
      err: '',
    });
  });

  test('takes data for the object of a policy as well', async () => {
    const args = ['--input', file('small.yaml'), '--params', file('params.json')];
    expect((await cel('object.replicas + params.max', ...args)).out).toContain('result  8\ntype    dyn\n');
  });

  test('needs no data where the expression uses none', async () => {
    expect((await cel("[1, 2].map(x, quantity(string(x) + 'Gi'))")).out).toContain(
      'result  [quantity("1Gi"), quantity("2Gi")]\ntype    list(kubernetes.Quantity)\n',
    );
  });

  test('keeps integers exact', async () => {
    expect((await cel('self.big + 1', '--input', file('small.yaml'))).out).toContain('result  9007199254740994\n');
  });

  test('types and bounds data by the schema of a CustomResourceDefinition', async () => {
    const files = ['--input', file('route.yaml'), '--schema', file('crd.yaml')];
    const { code, out } = await cel('self.spec.backends.all(b, b.weight > 0 && b.name.size() < 5)', ...files);
    expect(code).toBe(0);
    expect(out).toBe('result  true\ntype    bool\ncost    24 (estimated 4 to 44, limit 1000000)\n');
  });

  test('takes a schema by itself', async () => {
    const files = ['--input', file('small.yaml'), '--schema', file('schema.yaml')];
    expect((await cel('self.replicas / 2', ...files)).out).toContain('result  1\ntype    int\n');
  });

  test('evaluates rules at their path', async () => {
    const files = ['--input', file('route.yaml'), '--schema', file('crd.yaml')];
    const { out } = await cel('self.weight', ...files, '--path', 'spec.backends[1]');
    expect(out).toContain('result  40\ntype    int\n');
  });

  test('compares with the old data', async () => {
    const args = ['--input', file('small.yaml'), '--old', file('small.yaml')];
    expect((await cel('self == oldSelf', ...args)).out).toContain('result  true\n');
  });

  test('writes JSON for programs', async () => {
    const { out } = await cel("{'a': [1, 2].map(x, x * 2), 'b': [9007199254740993]}", '--output', 'json');
    expect(out).toBe(
      '{"result":{"a":[2,4],"b":[9007199254740993]},"type":"map(string, list(int))","cost":59,"estimatedCost":{"min":89,"max":89}}\n',
    );
    expect((await cel("[duration('90s')]", '--output', 'json')).out).toContain('{"result":["duration(\\"90s\\")"],');
  });

  test('warns about rules that would be refused for their cost', async () => {
    const files = ['--input', file('route.yaml'), '--schema', file('crd.yaml')];
    const { code, err } = await cel(
      '!has(self.spec.notes) || self.spec.notes.all(x, self.spec.notes.all(y, x == y))',
      ...files,
    );
    expect(code).toBe(0);
    expect(err).toContain('warning: as a rule it would be refused');
  });
});

describe('keelson cel says what is wrong', () => {
  test('with a pointer into the expression', async () => {
    const { code, err } = await cel('self.spec.replica <= 5', '--schema', file('crd.yaml'));
    expect(code).toBe(1);
    expect(err).toBe(
      `keelson cel: Cannot compile the expression
ERROR: <input>:1:10: undefined field 'replica'
 | self.spec.replica <= 5
 | .........^
`,
    );
  });

  test('when evaluation fails, with its cost', async () => {
    const { code, out, err } = await cel('self.missing > 1', '--input', file('small.yaml'));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^keelson cel: Cannot evaluate the expression: no such key: missing\ntype    bool\ncost    /);
  });

  test.each([
    [['self.a'], 'Cannot evaluate the expression: it uses "self", so --input must be given'],
    [['oldSelf.a'], 'Cannot evaluate the expression: it uses "oldSelf", so --old must be given'],
    [['request.name'], 'Cannot evaluate the expression: there is no "request" here'],
    [['1', '--input', 'none.yaml'], 'Cannot read --input "DIR/none.yaml": ENOENT: no such file or directory, open'],
    [['self', '--input', 'broken.yaml'], 'Cannot read "DIR/broken.yaml": '],
    [
      ['1', '--schema', 'crd.yaml', '--version', 'v3'],
      'Cannot use schema "DIR/crd.yaml": it has no version "v3", only "v1", "v1beta1", "v1alpha1"',
    ],
    [['1', '--schema', 'crd.yaml', '--version', 'v1alpha1'], 'version "v1alpha1" has no schema'],
    [['1', '--schema', 'route.yaml'], 'it is of kind "Route", not a CustomResourceDefinition'],
    [['1', '--schema', 'schema.yaml', '--version', 'v1'], 'it is a schema without versions'],
    [['1', '--schema', 'crd.yaml', '--path', 'spec.nothing'], 'it has nothing at "nothing"'],
    [['self', '--input', 'small.yaml', '--path', 'spec'], 'Cannot use "DIR/small.yaml": it has nothing at "spec"'],
    [['1', '--schema', 'crd.yaml', '--params', 'params.json'], '--params is for policies'],
    [['1', '--version', 'v1'], '--version chooses a version of --schema, which is not given'],
    [["timestamp('2024-01-01T00:00:00Z').getHours('Mars')"], 'Cannot evaluate the expression: '],
  ])('%s: %s', async (args, message) => {
    const placed = args.map((arg) => (/\.(?:yaml|json)$/.test(arg) ? file(arg) : arg));
    const { code, err } = await cel(...placed);
    expect(err).toContain(message);
    expect(code).toBe(1);
  });

  test.each([
    [[], 'an expression must be given'],
    [['1', '+', '2'], 'unexpected argument "+"; quote the expression'],
    [['1', '--inptu', 'x'], 'unknown flag --inptu; did you mean --input?'],
    [['1', '--output', 'yaml'], '--output must be text or json, got "yaml"'],
    [['1', '--path', 'a..b'], '--path must be a path such as spec.backends[0], got "a..b"'],
  ])('with the usage: %s: %s', async (args, message) => {
    const { code, err } = await cel(...args);
    expect(err).toContain(message);
    expect(err).toContain('Usage: keelson cel EXPRESSION');
    expect(code).toBe(2);
  });
});
