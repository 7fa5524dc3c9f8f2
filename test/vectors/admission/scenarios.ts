import { sending, writing } from '../conversion/hook-answer.ts';
import type { HookPlace } from '../conversion/scenario.ts';
import { type AdmissionScenario, configMap, type Step } from './scenario.ts';
import type { ServerResponse } from 'node:http';

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string };
}

/** A whole answer with this response, but for what `review` puts into its place. */
function answering(response: object | null, review: object = {}): AdmissionScenario['answer'] {
  return ({ apiVersion, request: { uid } }: Review, stream: ServerResponse) => {
    const whole = { apiVersion, kind: 'AdmissionReview', response: response && { uid, ...response }, ...review };
    stream.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
  };
}

function patching(patch: unknown, more: object = {}): AdmissionScenario['answer'] {
  const text = typeof patch === 'string' ? patch : JSON.stringify(patch);
  return answering({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64'), ...more });
}

const deny = (status?: object): AdmissionScenario['answer'] => answering({ allowed: false, status });
const allow = answering({ allowed: true });
const add = (path: string, value: unknown): object => ({ op: 'add', path, value });
const validating = (name: string, answer: unknown, more: Partial<AdmissionScenario> = {}): AdmissionScenario => ({
  name,
  type: 'validating',
  answer,
  ...more,
});
const mutating = (name: string, answer: unknown, more: Partial<AdmissionScenario> = {}): AdmissionScenario => ({
  name,
  type: 'mutating',
  answer,
  ...more,
});

const places: readonly HookPlace[] = [
  'other authority',
  'no authority',
  'other name',
  'expired',
  'plain http',
  'closed port',
  'no service',
  'service without endpoints',
];

const failing: readonly AdmissionScenario[] = [
  ...places.map((place) => validating(`at-${place.replaceAll(' ', '-')}`, allow, { place })),
  mutating('at-closed-port-mutating', allow, { place: 'closed port' }),
  mutating('at-closed-port-ignored', allow, { place: 'closed port', webhook: { failurePolicy: 'Ignore' } }),
  validating('bad-json-ignored', sending(200, '{"kind":'), { webhook: { failurePolicy: 'Ignore' } }),
  validating('hang', () => undefined, { webhook: { timeoutSeconds: 1 } }),
  validating('closes', (_review: unknown, _response: unknown, { socket }: { socket: { destroy(): void } }) =>
    socket.destroy(),
  ),
  validating('no-http', writing('hello\r\n\r\n')),
  validating('cut-body', writing('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"kind"')),
  ...[400, 403, 404, 429, 500, 503].map((code) =>
    validating(`text-${code}`, sending(code, ' why ', { type: 'text/plain' })),
  ),
  validating('empty-200', sending(200, '')),
  validating('text-200', sending(200, 'hello', { type: 'text/plain' })),
  validating('bad-json', sending(200, '{"kind":')),
  validating('other-kind', sending(200, '{"kind":"Pod","apiVersion":"v1"}')),
  validating('a-status', sending(200, '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"sorry"}')),
  validating(
    'bad-types',
    sending(200, '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"allowed":"yes"}}'),
  ),
];

const answers: readonly AdmissionScenario[] = [
  validating('allow', allow),
  validating('warn', answering({ allowed: true, warnings: ['careful', 'now'] })),
  validating('absent-response', answering(null)),
  validating('wrong-uid', answering({ allowed: true, uid: 'x' })),
  validating('no-uid', answering({ allowed: true, uid: undefined })),
  validating('v1beta1-answer', answering({ allowed: true }, { apiVersion: 'admission.k8s.io/v1beta1' })),
  validating('no-kind', answering({ allowed: true }, { apiVersion: undefined, kind: undefined })),
  validating('unknown-members', answering({ allowed: true, more: 1 }, { other: true })),
  validating('validating-patch', patching([add('/data/b', '2')])),
  validating('validating-patch-type', answering({ allowed: true, patchType: 'JSONPatch' })),
  validating('deny', deny()),
  validating('deny-message', deny({ message: 'no' })),
  validating('deny-reason', deny({ reason: 'Odd' })),
  validating(
    'deny-code',
    deny({ code: 418, message: 'no tea', reason: 'Teapot', details: { kind: 'x', causes: [{ message: 'm' }] } }),
  ),
  validating('deny-code-200', deny({ code: 200, status: 'Success', message: 'fine' })),
  validating('deny-warn', answering({ allowed: false, warnings: ['careful'] })),
  validating('deny-ignored', deny({ message: 'no' }), { webhook: { failurePolicy: 'Ignore' } }),
  validating('beta', answering({ allowed: true, uid: 'x' }), {
    webhook: { admissionReviewVersions: ['v9', 'v1beta1'] },
  }),
  validating('no-known-version', allow, { webhook: { admissionReviewVersions: ['v9', 'v1'], matchPolicy: 'Exact' } }),
];

const patches: readonly AdmissionScenario[] = [
  mutating('patch', patching([add('/data/b', '2'), { op: 'remove', path: '/data/a' }])),
  mutating('patch-empty', patching([])),
  mutating('patch-null', patching('null')),
  mutating('patch-no-type', patching([add('/data/b', '2')], { patchType: undefined })),
  mutating('patch-empty-type', patching([add('/data/b', '2')], { patchType: '' })),
  mutating('patch-other-type', patching([add('/data/b', '2')], { patchType: 'Merge' })),
  mutating('type-no-patch', answering({ allowed: true, patchType: 'JSONPatch' })),
  mutating('patch-garbage', patching('[{"op":')),
  mutating('patch-text', patching('hello')),
  mutating('patch-object', patching({})),
  mutating('patch-number', patching([1])),
  mutating('patch-no-base64', answering({ allowed: true, patchType: 'JSONPatch', patch: '%%' })),
  mutating('patch-missing', patching([{ op: 'remove', path: '/data/z' }])),
  mutating('patch-far', patching([add('/spec/a/b', 1)])),
  mutating('patch-test', patching([{ op: 'test', path: '/data/a', value: '2' }])),
  mutating('patch-odd-op', patching([{ op: 'dance', path: '/data/a' }])),
  mutating('patch-no-path', patching([{ op: 'add', value: '2' }])),
  mutating('patch-bad-type', patching([add('/data/b', 2)])),
  mutating('patch-bad-labels', patching([add('/metadata/labels', 'x')])),
  mutating('patch-unknown-field', patching([add('/spec', { a: 1 })])),
  mutating('patch-invalid', patching([add('/metadata/labels/b', 'not valid!')])),
  mutating('patch-name', patching([add('/metadata/name', 'other')])),
  mutating('patch-odd-kind', patching([add('/kind', 'Odd')])),
  mutating('patch-version', patching([add('/apiVersion', 'v2')])),
  mutating('patch-no-kind', patching([{ op: 'remove', path: '/kind' }])),
  mutating('patch-no-version', patching([{ op: 'remove', path: '/apiVersion' }])),
  mutating('patch-uid', patching([add('/metadata/uid', 'mine')])),
  mutating('patch-beta', patching([add('/data/b', '2')], { patchType: undefined }), {
    webhook: { admissionReviewVersions: ['v1beta1'] },
  }),
  mutating('patch-root', patching([{ op: 'replace', path: '', value: [] }])),
  mutating('patch-deny', patching([add('/data/b', '2')], { allowed: false })),
  mutating('patch-same', patching([add('/data/a', '1')])),
  mutating('patch-ignored', patching([{ op: 'remove', path: '/data/z' }]), { webhook: { failurePolicy: 'Ignore' } }),
  mutating('patch-garbage-ignored', patching('hello'), { webhook: { failurePolicy: 'Ignore' } }),
  mutating('patch-delete', patching([add('/data/b', '2')]), {
    webhook: { rules: [{ operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }] },
    steps: [
      { method: 'POST', path: 'configmaps', body: configMap('patch-delete') },
      { method: 'DELETE', path: 'configmaps/patch-delete' },
    ],
  }),
];

const labels = (scenario: string): object => ({ name: scenario, labels: { scenario } });
const pod = (scenario: string): object => ({
  metadata: labels(scenario),
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: 'web', ports: [{ containerPort: 80 }] }],
  },
});
const rules = (...resources: readonly string[]): object => ({
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources }],
});
const MERGE = 'application/merge-patch+json';
const steps = (...all: readonly Step[]): Pick<AdmissionScenario, 'steps'> => ({ steps: all });
const post = (path: string, body: object): Step => ({ method: 'POST', path, body });
const condition = (name: string, expression: string): object => ({ matchConditions: [{ name, expression }] });

const requests: readonly AdmissionScenario[] = [
  validating('life', allow, {
    ...steps(
      post('configmaps?fieldManager=me&fieldValidation=Strict', configMap('life')),
      { method: 'PUT', path: 'configmaps/life?dryRun=All', body: configMap('life', { data: { b: '2' } }) },
      { method: 'PATCH', path: 'configmaps/life', body: { data: { c: '3' } }, type: MERGE },
      { method: 'DELETE', path: 'configmaps/life?gracePeriodSeconds=0&propagationPolicy=Background' },
    ),
  }),
  mutating('generated', allow, {
    ...steps(post('configmaps', { metadata: { generateName: 'generated-', labels: { scenario: 'generated' } } }), {
      method: 'DELETE',
      path: 'configmaps?labelSelector=scenario%3Dgenerated',
    }),
  }),
  mutating(
    'pod-patch',
    patching([add('/spec/containers/-', { name: 'side', image: 'side', odd: 1, ports: [{ containerPort: 1 }] })]),
    {
      webhook: rules('pods'),
      ...steps(post('pods?dryRun=All', pod('pod-patch'))),
    },
  ),
  mutating('versions', patching([{ op: 'replace', path: '/spec/maxReplicas', value: 7 }]), {
    webhook: {
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['v2'], resources: ['horizontalpodautoscalers'] }],
    },
    ...steps(
      post('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers', {
        metadata: labels('versions'),
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      }),
    ),
  }),
  validating('scale', allow, {
    webhook: { ...rules('deployments/scale'), objectSelector: {} },
    ...steps(
      post('/apis/apps/v1/namespaces/default/deployments', {
        metadata: labels('scale'),
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web' }] } },
        },
      }),
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/default/deployments/scale/scale',
        body: { spec: { replicas: 3 } },
        type: MERGE,
      },
    ),
  }),
  mutating('scale-patch', patching([{ op: 'replace', path: '/spec/replicas', value: 5 }]), {
    webhook: { ...rules('replicasets/scale'), objectSelector: {} },
    ...steps(
      post('/apis/apps/v1/namespaces/default/replicasets', {
        metadata: labels('scale-patch'),
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web' }] } },
        },
      }),
      {
        method: 'PATCH',
        path: '/apis/apps/v1/namespaces/default/replicasets/scale-patch/scale',
        body: { spec: { replicas: 3 } },
        type: MERGE,
      },
    ),
  }),
  validating('exec', deny(), {
    webhook: { ...rules('pods/exec'), objectSelector: {} },
    ...steps(post('pods', pod('exec')), post('pods/exec/exec?command=ls&stdout=true&container=main', {})),
  }),
  validating('binding', allow, {
    webhook: { ...rules('pods/binding'), objectSelector: {} },
    ...steps(
      post('pods', pod('binding')),
      post('pods/binding/binding', { metadata: { name: 'binding' }, target: { kind: 'Node', name: 'n1' } }),
    ),
  }),
  validating('status', allow, {
    webhook: rules('services/status'),
    ...steps(post('services', { metadata: labels('status'), spec: { clusterIP: 'None', ports: [{ port: 80 }] } }), {
      method: 'PATCH',
      path: 'services/status/status',
      body: { metadata: { annotations: { a: 'b' } } },
      type: MERGE,
    }),
  }),
  validating('condition-false', deny(), { webhook: condition('c', "request.operation == 'DELETE'") }),
  validating('condition-true', deny(), { webhook: condition('c', "request.resource.resource == 'configmaps'") }),
  validating('condition-error', deny(), { webhook: condition('c', "object.metadata.annotations.a == 'b'") }),
  validating('condition-error-ignored', deny(), {
    webhook: { ...condition('c', "object.metadata.annotations.a == 'b'"), failurePolicy: 'Ignore' },
  }),
  validating('namespace-own', deny({ message: 'no' }), {
    webhook: { ...rules('namespaces'), namespaceSelector: { matchLabels: { scenario: 'namespace-own' } } },
    ...steps(post('/api/v1/namespaces', { metadata: labels('namespace-own') })),
  }),
];

export const scenarios: readonly AdmissionScenario[] = [...failing, ...answers, ...patches, ...requests];
