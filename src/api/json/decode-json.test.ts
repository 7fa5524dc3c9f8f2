import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { DecodeError } from '../../base/index.ts';
import { decodeJson } from './decode-json.ts';
import { encodeJson } from './encode-json.ts';
import { parseExact } from './exact-parse.ts';
import { JsonBody } from './json-body.ts';
import { typeMetaOf } from './type-meta.ts';

const types = builtInTypes();

/** The answer of a real kube-apiserver 1.36.3 to a POST with strict field validation: kind, apiVersion, body, code, message. */
type Answer = readonly [
  kind: string,
  apiVersion: string,
  body: string | { readonly repeat: string; readonly times: number },
  code: number,
  message: string,
];

const answers = JSON.parse(
  readFileSync(new URL('testdata/decode-answers.json', import.meta.url), 'utf8'),
) as readonly Answer[];

/** Adds the server's text around the decoder's message. */
function serverMessage(kind: string, apiVersion: string, body: string): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const struct = types.kind({ group, version, kind });
  if (struct === undefined) throw new Error(`No kind ${kind}`);
  try {
    typeMetaOf(new JsonBody(body));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const prefix = error.reason === 'syntax' ? "couldn't get version/kind; json parse error: " : '';
    return `the object provided is unrecognized (must be of type ${kind}): ${prefix}${error.message}`;
  }
  try {
    decodeJson(body, struct, { fieldValidation: 'Strict' });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`;
  }
  return '';
}

describe('decodeJson() reports what a real API server reports', () => {
  test.each(answers)('%s %s %j', (...[kind, apiVersion, source, , message]) => {
    const body = typeof source === 'string' ? source : source.repeat.repeat(source.times);

    // the server quotes the beginning of a body that it does not recognize
    expect(serverMessage(kind, apiVersion, body)).toBe(
      message.replace(/^(the object provided is unrecognized.*) \(.*\)$/s, '$1'),
    );
  });
});

const configMap = types.struct('io.k8s.api.core.v1.ConfigMap');
const objectMeta = types.struct('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
const revision = types.struct('io.k8s.api.apps.v1.ControllerRevision');

describe('decodeJson()', () => {
  test('warns in the words and order of Kubernetes, and continues', () => {
    const body = '{"foo":1,"metadata":{"name":"a","name":"b"},"data":{"a":"1","a":"2"}}';
    const { value, warnings, problems } = decodeJson(body, configMap, { fieldValidation: 'Warn' });

    expect(warnings).toEqual(['unknown field "foo"', 'duplicate field "metadata.name"', 'duplicate field "data.a"']);
    expect(problems[0]).toEqual({ kind: 'unknown', path: 'foo' });
    expect(value).toEqual({ metadata: { name: 'b' }, data: { a: '2' } });
  });

  test('merges duplicates as Go does: structs and maps, and list elements one by one', () => {
    const service = types.struct('io.k8s.api.core.v1.Service');
    const body =
      '{"spec":{"ports":[{"port":1,"name":"a","targetPort":5},{"port":2,"name":"b"}],"ports":[{"port":3},{"name":"c"}]},' +
      '"metadata":{"labels":{"a":"1"}},"metadata":{"labels":{"b":"2"},"name":"x"}}';

    expect(encodeJson(decodeJson(body, service).value)).toBe(
      '{"metadata":{"name":"x","labels":{"a":"1","b":"2"}},"spec":{"ports":[{"name":"a","port":3,"targetPort":5},' +
        '{"name":"c","port":2,"targetPort":0}]},"status":{"loadBalancer":{}}}',
    );
  });

  test('merges very many duplicates in linear time', () => {
    const body = `{${'"metadata":{"name":"a","labels":{"k":"v"}},"data":{"a":"b"},'.repeat(40_000)}"immutable":true}`;

    expect(decodeJson(body, configMap, { fieldValidation: 'Warn' })).toMatchObject({
      value: { metadata: { name: 'a', labels: { k: 'v' } }, data: { a: 'b' }, immutable: true },
      warnings: ['duplicate field "metadata"', 'duplicate field "data"'],
    });
  });

  test('forgets earlier duplicates at null or an empty list', () => {
    const struct = types.struct('io.k8s.api.core.v1.PodSpec');
    const containers = '"containers":[{"name":"a","image":"b"}],"containers":[],"containers":[{"name":"c"}]';
    const body = `{${containers},"securityContext":{"runAsUser":1},"securityContext":null,"securityContext":{"runAsGroup":2}}`;

    expect(encodeJson(decodeJson(body, struct).value)).toBe(
      '{"containers":[{"name":"c","resources":{}}],"securityContext":{"runAsGroup":2}}',
    );
  });

  test('finds duplicates that differ in escapes and spaces, and no false ones inside strings', () => {
    for (const body of [
      '{"data":{"a\\\\":"1","a\\\\" : "2"}}',
      '{"data":{"x":"\\":","x":"{\\"y\\":1}"}}',
      '{"data" :{},"d\\u0061ta":{}}',
    ]) {
      expect(decodeJson(body, configMap, { fieldValidation: 'Warn' }).warnings).toHaveLength(1);
    }
    expect(
      decodeJson('{"data":{"a":"\\":\\\\\\":","b":"c:d"}}', configMap, { fieldValidation: 'Strict' }).warnings,
    ).toEqual([]);
  });

  test('does not look for duplicates in raw JSON', () => {
    expect(
      decodeJson('{"data":{"a":1,"a":2},"revision":1}', revision, { fieldValidation: 'Strict' }).value,
    ).toMatchObject({ data: { a: 2 } });
  });

  test('keeps integers beyond 2^53 exactly, typed and raw', () => {
    const { value } = decodeJson(
      '{"data":{"a":9007199254740993,"b":1.50,"c":1e3},"revision":-9007199254740993}',
      revision,
    );

    expect(value).toMatchObject({ data: { a: 9007199254740993n, b: 1.5, c: 1000 }, revision: -9007199254740993n });
    expect(encodeJson(value)).toBe(
      '{"metadata":{},"data":{"a":9007199254740993,"b":1.5,"c":1000},"revision":-9007199254740993}',
    );
  });

  test('reads quantities from numbers as they are written', () => {
    const struct = types.struct('io.k8s.api.core.v1.ResourceRequirements');

    expect(encodeJson(decodeJson('{"limits":{"a":1e3,"b":1000,"c":0.10,"d":1}}', struct).value)).toBe(
      '{"limits":{"a":"1e3","b":"1k","c":"100m","d":"1"}}',
    );
  });

  test('replaces invalid UTF-8, byte by byte, as Go does', () => {
    const broken = Buffer.concat([
      Buffer.from('{"name":"a'),
      Buffer.from([0xe2, 0x82, 0xff]),
      Buffer.from('b\\ud800\\ud83d\\ude00"}'),
    ]);

    expect(decodeJson(broken, objectMeta).value).toEqual({ name: 'a\ufffd\ufffd\ufffdb\ufffd\u{1f600}' });
  });

  test('skips deep nesting in unknown fields, and refuses it where it would be kept', () => {
    expect(decodeJson(`{"x":${deep(9999)}}`, configMap, { fieldValidation: 'Warn' }).warnings).toEqual([
      'unknown field "x"',
    ]);
    expect(() => decodeJson(`{"x":${deep(10_000)}}`, configMap)).toThrow("invalid character '[' exceeded max depth");
    expect(() => decodeJson(`{"data":${deep(5000)}}`, revision)).toThrow(
      new DecodeError('depth', 'exceeded max depth'),
    );
    expect(decodeJson(`{"data":${deep(900)}}`, revision).value).toBeDefined();
  });

  test('reports at most a hundred problems', () => {
    const body = `{${Array.from({ length: 200 }, (_, index) => `"f${index}":1`).join(',')}}`;

    expect(decodeJson(body, configMap, { fieldValidation: 'Warn' }).warnings).toHaveLength(100);
  });

  test('decodes a body twice into independent objects', () => {
    const body = new JsonBody('{"data":{"a":"1"},"metadata":{"finalizers":["x"]}}');
    const first = decodeJson(body, configMap).value;
    const second = decodeJson(body, configMap).value;

    expect(second).toEqual(first);
    expect(second['data']).not.toBe(first['data']);
  });

  test('fills in defaults without reporting duplicates among them', () => {
    const definition = types.struct(
      'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    );
    const body = new JsonBody('{"spec":{"group":"g"}}');
    const exact = vi.spyOn(body, 'node', 'get');

    expect(decodeJson(body, definition, { defaults: true }).value).toMatchObject({
      spec: { conversion: { strategy: 'None' } },
    });
    expect(exact).not.toHaveBeenCalled();
  });

  test('names the enclosing struct if kind and apiVersion are of a wrong type', () => {
    expect(() => decodeJson('{"kind":1}', configMap)).toThrow('Go struct field ConfigMap.TypeMeta.kind of type string');
  });

  test('survives any bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          try {
            decodeJson(bytes, configMap, { fieldValidation: 'Warn' });
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('agrees with JSON.parse on what JSON is', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      'a',
      '\\',
      'u0041',
      '1',
      '0',
      '-',
      '.',
      'e',
      '+',
      'true',
      'null',
      ' ',
      '\n',
      '"k":',
      '\t',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');

        expect(succeeds(() => parseExact(Buffer.from(text)))).toBe(succeeds(() => JSON.parse(text) as unknown));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('typeMetaOf()', () => {
  test('reads as Go does: in any case, and the last one wins', () => {
    expect(typeMetaOf(new JsonBody('{"apiVersion":"v1","kind":"A"}'))).toEqual({ apiVersion: 'v1', kind: 'A' });
    expect(typeMetaOf(new JsonBody('{"KIND":"A","kind":"B","Kind":"C","apiversion":"v2"}'))).toEqual({
      apiVersion: 'v2',
      kind: 'C',
    });
    expect(typeMetaOf(new JsonBody('null'))).toEqual({ apiVersion: '', kind: '' });
    expect(typeMetaOf(new JsonBody('{"kind":"A","kind":null}'))).toEqual({ apiVersion: '', kind: 'A' });
  });
});

function deep(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false; // the reason does not matter here
  }
}
