import { answering, converting, sending, sendJson, withMetadata, writing } from './hook-answer.ts';
import { gzipSync } from 'node:zlib';
import type { Scenario } from './scenario.ts';

const failure = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'sorry',
  reason: 'Forbidden',
  code: 403,
};
const text = { type: 'text/plain' };

/** Where no answer comes at all. */
const unreachable: readonly Scenario[] = [
  { name: 'other-authority', place: 'other authority' },
  { name: 'no-authority', place: 'no authority' },
  { name: 'other-name', place: 'other name' },
  { name: 'other-address', place: 'other address' },
  { name: 'expired', place: 'expired' },
  { name: 'not-yet-valid', place: 'not yet valid' },
  { name: 'plain-http', place: 'plain http' },
  { name: 'closed-port', place: 'closed port' },
  { name: 'no-service', place: 'no service' },
  { name: 'service-without-port', place: 'service without port' },
  { name: 'service-without-endpoints', place: 'service without endpoints' },
  { name: 'external-service', place: 'external service' },
  { name: 'hang', answer: () => undefined },
  { name: 'closes', answer: (_review, _response, { socket }) => socket.destroy() },
  { name: 'closes-cleanly', answer: writing('') },
  { name: 'no-http', answer: writing('hello\r\n\r\n') },
  { name: 'cut-head', answer: writing('HTTP/1.1 200 OK\r\ncontent-le') },
  { name: 'cut-body', answer: writing('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"kind"') },
];

/** Where HTTP says no, or something else than JSON comes. */
const refusing: readonly Scenario[] = [
  ...[400, 401, 402, 403, 404, 405, 406, 409, 415, 422, 429, 500, 501, 503, 504].flatMap((code): Scenario[] => [
    { name: `text-${code}`, answer: sending(code, ' this is\n"why" ', text) },
    { name: `json-${code}`, answer: sending(code, '{"a":1}') },
  ]),
  { name: 'status-403', answer: sending(403, JSON.stringify(failure)) },
  { name: 'status-500', answer: sending(500, JSON.stringify({ ...failure, code: 500, reason: 'InternalError' })) },
  { name: 'status-500-text', answer: sending(500, JSON.stringify(failure), text) },
  { name: 'status-500-no-kind', answer: sending(500, JSON.stringify({ status: 'Failure', message: 'm' })) },
  { name: 'long-500', answer: sending(500, 'x'.repeat(3000), text) },
  { name: 'untyped-500', answer: sending(500, 'why', { type: '' }) },
  { name: 'status-200', answer: sending(200, JSON.stringify(failure)) },
  { name: 'success-200', answer: sending(200, JSON.stringify({ ...failure, status: 'Success' })) },
  { name: 'redirect-302', answer: sending(302, '', { headers: { location: '/good' } }) },
  { name: 'redirect-307', answer: sending(307, '', { headers: { location: '/good' } }) },
  { name: 'redirect-308-loop', answer: sending(308, '', { headers: { location: '/redirect-308-loop' } }) },
  { name: 'redirect-nowhere', answer: sending(302, '') },
  { name: 'empty-204', answer: (_review, response) => response.writeHead(204).end() },
  { name: 'empty-200', answer: sending(200, '') },
  { name: 'empty-200-text', answer: sending(200, '', text) },
  { name: 'text-200', answer: sending(200, 'hello', text) },
  { name: 'garbage-200', answer: sending(200, '{"kind":') },
  { name: 'null-200', answer: sending(200, 'null') },
  { name: 'list-200', answer: sending(200, '[]') },
  { name: 'number-200', answer: sending(200, '17') },
  { name: 'no-kind', answer: sending(200, '{"response":{}}') },
  { name: 'kind-without-version', answer: sending(200, '{"kind":"ConversionReview","response":{}}') },
  { name: 'version-without-kind', answer: sending(200, '{"apiVersion":"apiextensions.k8s.io/v1","response":{}}') },
  { name: 'pod', answer: sending(200, '{"kind":"Pod","apiVersion":"v1"}') },
  { name: 'other-kind', answer: sending(200, '{"kind":"Other","apiVersion":"apiextensions.k8s.io/v1"}') },
  { name: 'other-version', answer: sending(200, '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v2"}') },
  {
    name: 'older-version',
    answer: sending(200, '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1","response":{}}'),
  },
  {
    name: 'mismatch',
    answer: sending(200, '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":[]}'),
  },
  {
    name: 'mismatch-below',
    answer: answering((good) => ({ ...good, convertedObjects: {} })),
  },
  { name: 'uid-number', answer: answering((good) => ({ ...good, uid: 1 })) },
  {
    name: 'yaml',
    answer: sending(200, 'kind: ConversionReview\napiVersion: apiextensions.k8s.io/v1\n', { type: 'application/yaml' }),
  },
  { name: 'bad-content-type', answer: sending(200, '{}', { type: 'a/b/c;;' }) },
  {
    name: 'gzip',
    answer: (review, response) => {
      const { uid } = review.request;
      const body = {
        apiVersion: review.apiVersion,
        kind: 'ConversionReview',
        response: { uid, result: { status: 'Success' } },
      };
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(body)));
    },
  },
];

/** Where the review is not what it should be. */
const malformed: readonly Scenario[] = [
  { name: 'good', answer: answering(() => undefined) },
  {
    name: 'good-as-text',
    answer: (review, response) => {
      const { uid, objects, desiredAPIVersion } = review.request;
      const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
      const answer = { uid, convertedObjects, result: { status: 'Success' } };
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'ConversionReview', response: answer }));
    },
  },
  {
    name: 'no-response',
    answer: (review, response) => sendJson(response, { apiVersion: review.apiVersion, kind: 'ConversionReview' }),
  },
  { name: 'echo', answer: (review, response) => sendJson(response, review) },
  { name: 'no-uid', answer: answering(({ uid: _, ...good }) => good) },
  { name: 'other-uid', answer: answering((good) => ({ ...good, uid: 'other"' })) },
  { name: 'no-result', answer: answering(({ result: _, ...good }) => good) },
  {
    name: 'failed',
    answer: answering((good) => ({ ...good, result: { status: 'Failure', message: 'cannot "convert"' } })),
  },
  { name: 'failed-silently', answer: answering((good) => ({ ...good, result: { status: 'Failed' } })) },
  { name: 'failed-elsewhere', answer: answering((good) => ({ ...good, result: { message: 'no status' } })) },
  { name: 'no-objects', answer: answering(({ convertedObjects: _, ...good }) => good) },
  { name: 'too-many', answer: answering((good) => ({ ...good, convertedObjects: [{}, {}, {}] })) },
];

/** Where an object is not what it should be. */
const invalid: readonly Scenario[] = [
  ...Object.entries({ null: null, string: 'x', number: 5, array: [], empty: {} }).map(([name, value]): Scenario => ({
    name: `object-${name}`,
    answer: converting((object) => (value === null ? { ...object, toJSON: () => null } : value)),
  })),
  { name: 'object-no-kind', answer: converting(({ kind: _, ...object }) => object) },
  { name: 'object-empty-kind', answer: converting((object) => ({ ...object, kind: '' })) },
  { name: 'object-no-version', answer: converting(({ apiVersion: _, ...object }) => object) },
  { name: 'object-kind-number', answer: converting((object) => ({ ...object, kind: 3 })) },
  { name: 'object-unconverted', answer: converting((object) => ({ ...object, apiVersion: 'stable.example.com/v0' })) },
  { name: 'object-other-group', answer: converting((object) => ({ ...object, apiVersion: 'v2' })) },
  { name: 'object-bad-version', answer: converting((object) => ({ ...object, apiVersion: 'a/b/c' })) },
  { name: 'object-other-kind', answer: converting((object) => ({ ...object, kind: 'Other' })) },
  { name: 'object-list-kind', answer: converting((object) => ({ ...object, kind: 'CronTabList', items: [] })) },
  { name: 'object-other-name', answer: withMetadata({ name: 'two' }) },
  { name: 'object-no-name', answer: withMetadata({ name: undefined }) },
  { name: 'object-name-number', answer: withMetadata({ name: 7 }) },
  { name: 'object-other-namespace', answer: withMetadata({ namespace: 'other' }) },
  { name: 'object-other-uid', answer: withMetadata({ uid: 'other' }) },
  { name: 'object-no-metadata', answer: converting(({ metadata: _, ...object }) => object) },
  { name: 'object-metadata-string', answer: converting((object) => ({ ...object, metadata: 'x' })) },
  { name: 'object-metadata-null', answer: converting((object) => ({ ...object, metadata: null })) },
  { name: 'object-metadata-list', answer: converting((object) => ({ ...object, metadata: [] })) },
  { name: 'labels-changed', answer: withMetadata({ labels: { x: 'y' }, annotations: { z: 'w' } }) },
  { name: 'labels-gone', answer: withMetadata({ labels: undefined, annotations: null }) },
  { name: 'labels-empty', answer: withMetadata({ labels: {} }) },
  { name: 'labels-string', answer: withMetadata({ labels: 'x' }) },
  { name: 'labels-list', answer: withMetadata({ labels: [] }) },
  { name: 'labels-number', answer: withMetadata({ labels: 1.5 }) },
  { name: 'labels-bool', answer: withMetadata({ annotations: true }) },
  { name: 'label-number', answer: withMetadata({ labels: { a: 1 } }) },
  { name: 'label-float', answer: withMetadata({ labels: { a: 1.5 } }) },
  { name: 'label-null', answer: withMetadata({ annotations: { a: null } }) },
  { name: 'label-map', answer: withMetadata({ annotations: { a: {} } }) },
  { name: 'label-list', answer: withMetadata({ annotations: { a: [] } }) },
  { name: 'label-invalid', answer: withMetadata({ labels: { 'a b': '-' } }) },
  { name: 'annotation-invalid', answer: withMetadata({ annotations: { 'a b': 'c' } }) },
  { name: 'annotations-large', answer: withMetadata({ annotations: { a: 'x'.repeat(300_000) } }) },
  {
    name: 'metadata-changed',
    answer: withMetadata({
      creationTimestamp: null,
      generation: 77,
      finalizers: ['x.io/y'],
      ownerReferences: [],
      resourceVersion: '5',
      managedFields: [],
      extra: 1,
    }),
  },
  { name: 'spec-unknown', answer: converting((object) => ({ ...object, spec: { hostPort: 5 }, unknown: true })) },
];

const older: readonly Scenario[] = [
  ...malformed.filter(({ name }) => !name.startsWith('failed-')),
  ...refusing.filter(({ name }) => /^(mismatch|pod|older-version|no-kind|text-500|kind-without-version)$/.test(name)),
].map((scenario) => ({ ...scenario, name: `v1beta1-${scenario.name}`, reviewVersions: ['v2', 'v1beta1', 'v1'] }));

export const scenarios: readonly Scenario[] = [...unreachable, ...refusing, ...malformed, ...invalid, ...older];
