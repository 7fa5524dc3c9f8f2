import { type HookAnswer, sending, sendJson } from '../conversion/hook-answer.ts';
import type { Scenario } from '../conversion/scenario.ts';
import { HOOK, type PluginScenario, type Step } from './scenario.ts';
import { change, create } from './scenarios.ts';

interface ImageReview {
  readonly spec?: { readonly containers?: readonly { readonly image: string }[] };
}

const answering =
  (status: object, more: object = {}): HookAnswer =>
  ({ apiVersion }, response) =>
    sendJson(response, { apiVersion, kind: 'ImageReview', status, ...more });

/** By the first image. */
const answers: Readonly<Record<string, HookAnswer>> = {
  good: answering({ allowed: true }),
  annotated: answering({ allowed: true, auditAnnotations: { why: 'because' } }),
  bad: answering({ allowed: false }),
  why: answering({ allowed: false, reason: 'not signed' }),
  silent: answering({}),
  forbidden: sending(
    403,
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      message: 'go away',
      code: 403,
    }),
  ),
  missing: sending(404, 'nothing here', { type: 'text/plain' }),
  'no-json': sending(200, '{"kind":'),
  empty: sending(200, ''),
  'other-kind': answering({ allowed: true }, { kind: 'Pod', apiVersion: 'v1' }),
  'no-kind': sending(200, '{"status":{"allowed":true}}'),
  'wrong-type': sending(200, '{"status":{"allowed":"yes"}}'),
  created: sending(201, '{"status":{"allowed":true}}'),
};

/** The webhook as the servers of the conversion scenarios run it. */
export const imageHook: Scenario = {
  name: HOOK,
  answer(review, response, request) {
    const { spec }: ImageReview = review as object;
    answers[spec?.containers?.[0]?.image ?? 'good']?.(review, response, request);
  },
};

const running = (image: string, more: { readonly spec?: object; readonly metadata?: object } = {}): Step =>
  create('pods', {
    metadata: { name: 'p', ...more.metadata },
    spec: { containers: [{ name: 'c', image }], ...more.spec },
  });

const one = (image: string): PluginScenario => ({ name: `image-${image}`, steps: [running(image)] });

/** Pods whose images the webhook judges. */
export const imageScenarios: readonly PluginScenario[] = [
  ...Object.keys(answers).map(one),
  {
    name: 'image-annotations',
    steps: [
      running('good', {
        metadata: {
          annotations: {
            'a.image-policy.k8s.io/b': '1',
            other: '2',
            'z.image-policy.k8s.io/': '',
            'a.image-policy.k8s.io/a': '3',
          },
        },
      }),
    ],
  },
  { name: 'image-init', steps: [running('good', { spec: { initContainers: [{ name: 'i', image: 'second' }] } })] },
  { name: 'image-generated', steps: [running('bad', { metadata: { name: undefined, generateName: 'g-' } })] },
  { name: 'image-update', steps: [running('good'), change('pods/p', { metadata: { labels: { a: 'b' } } })] },
  {
    name: 'image-cached',
    steps: [running('bad'), running('bad'), running('good'), { ...running('good'), path: 'pods?dryRun=All' }],
  },
  {
    name: 'image-ephemeral',
    steps: [
      running('good'),
      {
        ...change('pods/p/ephemeralcontainers', { spec: { ephemeralContainers: [{ name: 'e', image: 'why' }] } }),
        type: 'application/strategic-merge-patch+json',
      },
    ],
  },
];

/** The same webhook on a server that lets pods in when it fails. */
export const openScenarios: readonly PluginScenario[] = ['good', 'bad', 'missing', 'no-json'].map((image) => ({
  ...one(image),
  name: `open-${image}`,
}));

/** The kubeconfig that leads to the webhook. */
export function imageKubeconfig(clientConfig: Readonly<Record<string, unknown>>): string {
  const cluster = { server: clientConfig['url'], 'certificate-authority-data': clientConfig['caBundle'] };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'images', cluster }],
    users: [{ name: 'server', user: { token: 'secret' } }],
    contexts: [{ name: 'images', context: { cluster: 'images', user: 'server' } }],
    'current-context': 'images',
  });
}
