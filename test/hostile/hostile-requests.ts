import type { ApiServer } from '../../src/apiserver/index.ts';
import { hostileObjects } from './hostile-objects.ts';
import type { HostileRequest } from './measured-server.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** What the patches and updates are about. */
export const targets: readonly HostileRequest[] = [
  { name: 'a pod', method: 'POST', path: PODS, body: JSON.stringify(pod({})) },
  {
    name: 'a large pod',
    method: 'POST',
    path: PODS,
    body: JSON.stringify({
      ...pod({ args: Array.from({ length: 50_000 }, (_, index) => `a${index}`) }),
      metadata: { name: 'large' },
    }),
  },
  { name: 'a config map', method: 'POST', path: CONFIG_MAPS, body: JSON.stringify(configMap({ a: 'b' })) },
];

function pod(container: Readonly<Record<string, unknown>>): object {
  return { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i', ...container }] } };
}

function configMap(data: Readonly<Record<string, string>>): object {
  return { metadata: { name: 'a' }, data };
}

/** Every field of every kind, sent to be created and to be applied; made when asked for. */
export function* objectRequests(server: ApiServer, bytes: number): Generator<() => HostileRequest> {
  const known = new Set<string>();
  for (const group of server.registry.groupNames()) {
    for (const { version, plural, kind, namespaced, type } of server.registry.resourcesOf(group)) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const root = `${group === '' ? '/api' : '/apis'}/${apiVersion}${namespaced ? '/namespaces/default' : ''}/${plural}`;
      for (const { name, object } of hostileObjects(type, bytes, known)) {
        const request = (isApply: boolean): HostileRequest => {
          const sent = object();
          const metadata = { name: 'a', ...(sent['metadata'] as object | undefined) };
          const body = JSON.stringify({ ...sent, apiVersion, kind, metadata });
          if (!isApply) return { name: `create ${kind} ${name}`, method: 'POST', path: `${root}?dryRun=All`, body };
          const headers = { 'content-type': 'application/apply-patch+yaml' };
          const path = `${root}/a?dryRun=All&fieldManager=test`;
          return { name: `apply ${kind} ${name}`, method: 'PATCH', path, headers, body };
        };
        yield () => request(false);
        yield () => request(true);
      }
    }
  }
}

/** Everything else that a request is made of. */
export function* otherRequests(bytes: number): Generator<HostileRequest> {
  yield* selectors(bytes);
  yield* queries(bytes);
  yield* headers(bytes);
  yield* patches(bytes);
  yield* texts(bytes);
}

function many(bytes: number, item: (index: number) => string, separator = ','): string {
  const length = Math.floor(bytes / (item(10_000).length + separator.length));
  return Array.from({ length }, (_, index) => item(index)).join(separator);
}

function* selectors(bytes: number): Generator<HostileRequest> {
  const labels: readonly (readonly [string, string])[] = [
    ['keys', many(bytes, (index) => `k${index}!=v`)],
    ['values', many(bytes, (index) => `k!=v${index}`)],
    ['like terms', many(bytes, () => 'k=v')],
    ['absent keys', many(bytes, (index) => `!k${index}`)],
    ['a list', `k in (${many(bytes, (index) => `v${index}`)})`],
    ['bounds', many(bytes, (index) => `k>${index}`)],
    ['open lists', 'k in ('.repeat(bytes / 6)],
    ['commas', `k in (${','.repeat(bytes)})`],
    ['spaces', `k${' '.repeat(bytes)}=v`],
    ['a long key', 'k'.repeat(bytes)],
    ['a long bad value', `k=${'%'.repeat(bytes)}`],
    ['bad values', `k in (${many(bytes, (index) => `-v${index}`)})`],
    ['digits', `k>${'1'.repeat(bytes)}`],
  ];
  for (const [what, text] of labels) {
    yield { name: `labelSelector: ${what}`, method: 'GET', path: `${PODS}?labelSelector=${encodeURIComponent(text)}` };
  }
  const fields: readonly (readonly [string, string])[] = [
    ['values', many(bytes, (index) => `metadata.name!=v${index}`)],
    ['commas', ','.repeat(bytes)],
    ['backslashes', `metadata.name=${'\\\\'.repeat(bytes / 2)}`],
    ['unknown fields', many(bytes, (index) => `f${index}=v`)],
    ['no sign', 'a'.repeat(bytes)],
    ['signs', '='.repeat(bytes)],
  ];
  for (const [what, text] of fields) {
    yield { name: `fieldSelector: ${what}`, method: 'GET', path: `${PODS}?fieldSelector=${encodeURIComponent(text)}` };
  }
}

const READ_PARAMETERS = 'limit continue resourceVersion resourceVersionMatch timeoutSeconds timeout pretty'.split(' ');
const WRITE_PARAMETERS = 'dryRun fieldManager fieldValidation force gracePeriodSeconds propagationPolicy'.split(' ');

function* queries(bytes: number): Generator<HostileRequest> {
  const values: readonly (readonly [string, string])[] = [
    ['text', 'a'.repeat(bytes)],
    ['digits', '1'.repeat(bytes)],
    ['control characters', '%01'.repeat(bytes / 3)],
    ['broken escapes', '%'.repeat(bytes)],
  ];
  for (const [what, value] of values) {
    for (const name of READ_PARAMETERS) {
      yield { name: `${name}: ${what}`, method: 'GET', path: `${CONFIG_MAPS}?${name}=${value}` };
    }
    for (const name of WRITE_PARAMETERS) {
      const body = JSON.stringify(configMap({}));
      yield { name: `${name}: ${what}`, method: 'POST', path: `${CONFIG_MAPS}?${name}=${value}`, body };
      yield { name: `${name}: ${what}, on delete`, method: 'DELETE', path: `${CONFIG_MAPS}/none?${name}=${value}` };
    }
    yield { name: `path: ${what}`, method: 'GET', path: `${CONFIG_MAPS}/${value}` };
    yield { name: `verb: ${what}`, method: 'GET', path: `/apis/${value}/v1/x` };
  }
  yield {
    name: 'many parameters',
    method: 'GET',
    path: `${CONFIG_MAPS}?${many(bytes, (index) => `p${index}=v`, '&')}`,
  };
  yield { name: 'one parameter often', method: 'POST', path: `${CONFIG_MAPS}?${many(bytes, () => 'dryRun=x', '&')}` };
  yield { name: 'slashes', method: 'GET', path: `/apis/${'/'.repeat(bytes)}` };
  yield { name: 'steps', method: 'GET', path: `/api/v1/${many(bytes, () => 'a', '/')}` };
  yield { name: 'steps up', method: 'GET', path: `/api/v1/${many(bytes, () => '..', '/')}` };
}

function* headers(bytes: number): Generator<HostileRequest> {
  const values: readonly (readonly [string, string])[] = [
    ['text', 'a'.repeat(bytes)],
    ['commas', ','.repeat(bytes)],
    ['media types', many(bytes, (index) => `a/b${index};q=0.${index}`)],
    ['parameters', `application/json;${many(bytes, (index) => `p${index}=v`, ';')}`],
    ['tables', many(bytes, () => 'application/json;as=Table;v=v1;g=meta.k8s.io')],
    ['semicolons', `application/json${';'.repeat(bytes)}`],
    ['quotes', `a/b;c="${'\\"'.repeat(bytes / 2)}`],
    ['spaces', `a${' '.repeat(bytes)}b`],
  ];
  for (const [what, value] of values) {
    for (const name of ['accept', 'content-type', 'authorization', 'user-agent', 'accept-encoding', 'if-none-match']) {
      const body = JSON.stringify(configMap({}));
      yield {
        name: `${name}: ${what}`,
        method: 'POST',
        path: `${CONFIG_MAPS}?dryRun=All`,
        headers: { [name]: value },
        body,
      };
    }
  }
}

function* patches(bytes: number): Generator<HostileRequest> {
  const operations = (text: (index: number) => string): string => `[${many(bytes, text)}]`;
  const json: readonly (readonly [string, string])[] = [
    ['nulls', operations(() => 'null')],
    ['empty operations', operations(() => '{}')],
    ['unknown members', `[{${many(bytes, (index) => `"k${index}":1`)}}]`],
    ['additions in front', operations((index) => `{"op":"add","path":"/spec/containers/0/args/0","value":"${index}"}`)],
    ['removals in front', operations(() => '{"op":"remove","path":"/spec/containers/0/args/0"}')],
    ['moves', operations(() => '{"op":"move","from":"/spec/containers/0/args/0","path":"/spec/containers/0/args/-"}')],
    ['copies', operations((index) => `{"op":"copy","from":"/spec/containers/0/args/0","path":"/spec/x${index}"}`)],
    ['large copies', operations((index) => `{"op":"copy","from":"/spec","path":"/x${index}"}`)],
    ['tests', operations(() => '{"op":"test","path":"/spec/containers/0/args","value":[]}')],
    ['tests of all', operations(() => '{"op":"test","path":"","value":{}}')],
    ['replacements of all', operations(() => '{"op":"replace","path":"","value":{}}')],
    ['a deep path', `[{"op":"add","path":"${'/a'.repeat(bytes / 2)}","value":1}]`],
    ['an index of digits', `[{"op":"add","path":"/spec/containers/${'1'.repeat(bytes)}","value":1}]`],
    ['tildes', `[{"op":"add","path":"/${'~1~0'.repeat(bytes / 4)}","value":1}]`],
    ['an operation of one long name', `[{"op":"${'a'.repeat(bytes)}","path":"/a"}]`],
  ];
  for (const [what, body] of json) yield* patch(`json patch: ${what}`, 'application/json-patch+json', body);
  const list = (item: (index: number) => string): string => `{"spec":{"containers":[${many(bytes, item)}]}}`;
  const merges: readonly (readonly [string, string])[] = [
    ['containers', list((index) => `{"name":"c${index}"}`)],
    ['like containers', list(() => '{"name":"c"}')],
    ['empty containers', list(() => '{}')],
    ['nulls', list(() => 'null')],
    ['deletions', list((index) => `{"$patch":"delete","name":"c${index}"}`)],
    ['orders', `{"spec":{"$setElementOrder/containers":[${many(bytes, (index) => `{"name":"c${index}"}`)}]}}`],
    [
      'orders of new containers',
      `{"spec":{"$setElementOrder/containers":[${many(bytes / 2, (index) => `{"name":"c${index}"}`)}],"containers":[${many(bytes / 2, (index) => `{"name":"c${index}"}`)}]}}`,
    ],
    ['kept keys', `{"metadata":{"$retainKeys":[${many(bytes, (index) => `"k${index}"`)}]}}`],
    ['finalizers', `{"metadata":{"finalizers":[${many(bytes, (index) => `"a.b/c${index}"`)}]}}`],
    [
      'deleted finalizers',
      `{"metadata":{"$deleteFromPrimitiveList/finalizers":[${many(bytes, (index) => `"a.b/c${index}"`)}]}}`,
    ],
    ['unknown members', `{${many(bytes, (index) => `"k${index}":1`)}}`],
    ['duplicate members', `{${many(bytes, () => '"k":1')}}`],
    ['nested', `${'{"a":'.repeat(900)}1${'}'.repeat(900)}`],
    ['labels', `{"metadata":{"labels":{${many(bytes, (index) => `"k${index}":"v"`)}}}}`],
    ['removed labels', `{"metadata":{"labels":{${many(bytes, (index) => `"k${index}":null`)}}}}`],
    ['digits', `{"spec":{"priority":${'1'.repeat(bytes)}}}`],
    ['args', `{"spec":{"containers":[{"name":"c","args":[${many(bytes, (index) => `"b${index}"`)}]}]}}`],
    ['tolerations', `{"spec":{"tolerations":[${many(bytes, (index) => `{"key":"k${index}","operator":"Exists"}`)}]}}`],
  ];
  for (const [what, body] of merges) {
    yield* patch(`merge patch: ${what}`, 'application/merge-patch+json', body);
    yield* patch(`strategic patch: ${what}`, 'application/strategic-merge-patch+json', body);
    yield* patch(`apply patch: ${what}`, 'application/apply-patch+yaml', body);
  }
}

function* patch(name: string, type: string, body: string): Generator<HostileRequest> {
  for (const target of ['a', 'large']) {
    const path = `${PODS}/${target}?dryRun=All&fieldManager=test&force=true`;
    const query = type.includes('apply') ? path : path.replace('&force=true', '');
    yield { name: `${name} (${target})`, method: 'PATCH', path: query, headers: { 'content-type': type }, body };
  }
}

/** Bodies that are no objects, or hardly. */
function* texts(bytes: number): Generator<HostileRequest> {
  const path = `${CONFIG_MAPS}?dryRun=All&fieldValidation=Strict`;
  const json: readonly (readonly [string, string])[] = [
    ['duplicate keys', `{"metadata":{"name":"b"},"data":{${many(bytes, () => '"a":"b"')}}}`],
    ['pairs of keys', `{"metadata":{"name":"b"},"data":{${many(bytes, (index) => `"a${index >> 1}":"b"`)}}}`],
    ['unknown fields', `{"metadata":{"name":"b"},${many(bytes, (index) => `"a${index}":"b"`)}}`],
    ['a long unknown field', `{"metadata":{"name":"b"},"${'a'.repeat(bytes)}":1}`],
    ['digits', `{"metadata":{"name":"b","generation":${'1'.repeat(bytes)}}}`],
    ['a fraction', `{"metadata":{"name":"b","generation":1.${'0'.repeat(bytes)}}}`],
    ['an exponent', `{"metadata":{"name":"b","generation":1e${'9'.repeat(bytes)}}}`],
    ['escapes', `{"metadata":{"name":"b"},"data":{"a":"${'\\u0041'.repeat(bytes / 6)}"}}`],
    ['half surrogates', `{"metadata":{"name":"b"},"data":{"a":"${'\\ud800'.repeat(bytes / 6)}"}}`],
    ['spaces', `{"metadata":{"name":"b"},"data":{}${' '.repeat(bytes)}}`],
    ['open brackets', '['.repeat(bytes)],
    ['open braces', '{"a":'.repeat(bytes / 5)],
    ['wrong types', `{"metadata":{"name":"b"},"data":{${many(bytes, (index) => `"a${index}":1`)}}}`],
    ['wrong items', `{"metadata":{"name":"b","finalizers":[${many(bytes, () => '1')}]}}`],
  ];
  for (const [what, body] of json) yield { name: `json: ${what}`, method: 'POST', path, body };
  const lines = (line: (index: number) => string): string => many(bytes, line, '\n');
  const yaml: readonly (readonly [string, string])[] = [
    ['aliases', `metadata: {name: b}\nx: &a v\ndata:\n${lines((index) => `  k${index}: *a`)}`],
    [
      'aliases of a long text',
      `metadata: {name: b}\nx: &a ${'v'.repeat(bytes / 2)}\ndata:\n${many(bytes / 2, (index) => `  k${index}: *a`, '\n')}`,
    ],
    ['aliases of a list', `x: &a [${'1,'.repeat(bytes / 4)}]\ny: [${many(bytes / 2, () => '*a')}]`],
    ['anchors', `data:\n${lines((index) => `  k${index}: &a${index} v`)}`],
    ['duplicates', `data:\n${lines(() => '  k: v')}`],
    ['pairs', `data:\n${lines((index) => `  k${index >> 1}: v`)}`],
    ['merges', `x: &a {b: c}\ndata:\n${lines(() => '  <<: *a')}`],
    ['documents', lines(() => '---')],
    ['comments', lines(() => '#')],
    ['empty lines', `${'\n'.repeat(bytes)}a: b`],
    ['plain lines', lines(() => 'a')],
    ['a quoted text', `data: {a: "${'\\x41'.repeat(bytes / 4)}"}`],
    ['quoted lines', `data: {a: "${'a\n '.repeat(bytes / 3)}"}`],
    ['a folded text', `data:\n  a: >\n${lines(() => '    x\n')}`],
    ['flows', `[${many(bytes, () => '[]')}]`],
    ['brackets', '['.repeat(bytes)],
    ['dashes', '- '.repeat(bytes / 2)],
    ['colons', 'a: '.repeat(bytes / 3)],
    ['questions', '? '.repeat(bytes / 2)],
    ['tags', lines((index) => `- !<a${index}> b`)],
    ['directives', `${lines((index) => `%TAG !a${index}! b`)}\n--- x`],
    ['underscores', `a: 1${'_'.repeat(bytes)}`],
    ['digits', `metadata: {generation: ${'1'.repeat(bytes)}}`],
    ['keys without values', `{${many(bytes, (index) => `a${index}`)}}`],
    ['carriage returns', 'a: b\r'.repeat(bytes / 5)],
    ['tabs', '\t'.repeat(bytes)],
    ['exclamation marks', '!'.repeat(bytes)],
    ['ampersands', '&'.repeat(bytes)],
    ['percent signs', '%'.repeat(bytes)],
  ];
  for (const [what, body] of yaml) {
    yield { name: `yaml: ${what}`, method: 'POST', path, headers: { 'content-type': 'application/yaml' }, body };
  }
  const binary: readonly (readonly [string, Uint8Array])[] = [
    ['empty metadata', repeated([0x0a, 0x00], bytes)],
    ['empty data', repeated([0x12, 0x00], bytes)],
    ['unknown fields', repeated([0x78, 0x01], bytes)],
    ['groups', repeated([0x0b], bytes)],
    ['finalizers', metadata(repeated([0x72, 0x00], bytes))],
    ['owners', metadata(repeated([0x6a, 0x00], bytes))],
    ['managed fields', metadata(repeated([0x8a, 0x01, 0x00], bytes))],
  ];
  for (const [what, raw] of binary) {
    const type = 'application/vnd.kubernetes.protobuf';
    yield { name: `protobuf: ${what}`, method: 'POST', path, headers: { 'content-type': type }, body: envelope(raw) };
  }
}

function repeated(pattern: readonly number[], bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes - (bytes % pattern.length) }, (_, at) => pattern[at % pattern.length] ?? 0);
}

function metadata(content: Uint8Array): Uint8Array {
  return field(1, content);
}

function field(number: number, content: Uint8Array): Uint8Array {
  const length: number[] = [];
  for (let rest = content.length; ; rest >>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Uint8Array.of((number << 3) | 2, ...length), content]);
}

/** How protobuf objects travel: the magic bytes, the kind, the object. */
function envelope(raw: Uint8Array): Uint8Array {
  const kind = Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from('ConfigMap'))]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, kind), field(2, raw)]);
}
