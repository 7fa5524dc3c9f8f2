import type { HookServers } from '../conversion/hook-server.ts';
import type { HookPlace, Scenario } from '../conversion/scenario.ts';
import { cleaned } from '../conversion/outcome.ts';

/** One request; its path is below `/api/v1/namespaces/default/` unless it begins with a slash. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
}

/** One webhook, what it answers, and what is asked of the API server. */
export interface AdmissionScenario {
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  readonly place?: HookPlace;
  /** Members of the webhook that differ from the usual ones. */
  readonly webhook?: object;
  readonly answer?: unknown;
  /** Default: one ConfigMap is created. */
  readonly steps?: readonly Step[];
}

/** What came of the last step, and what the webhook was sent. */
export interface RecordedAdmission {
  readonly name: string;
  readonly code: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
  readonly reviews: readonly unknown[];
}

const RULES = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'] }];

/** Sees only what carries the label of its scenario, so that all configurations can be there at once. */
export function configurationOf(scenario: AdmissionScenario, hooks: HookServers): object {
  const { name, type, place, webhook = {} } = scenario;
  const { clientConfig } = hooks.conversionOf({ name, ...(place === undefined ? {} : { place }) });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: type === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'hook.acme.dev',
        clientConfig,
        rules: RULES,
        objectSelector: { matchLabels: { scenario: name } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...webhook,
      },
    ],
  };
}

export function collectionOf({ type }: AdmissionScenario): string {
  return `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;
}

export function stepsOf({ name, steps }: AdmissionScenario): readonly Step[] {
  return steps ?? [{ method: 'POST', path: 'configmaps', body: configMap(name) }];
}

export function pathOf({ path }: Step): string {
  return path.startsWith('/') ? path : `/api/v1/namespaces/default/${path}`;
}

export function configMap(scenario: string, more: object = {}): object {
  const metadata = { name: scenario, labels: { scenario } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1' }, ...more };
}

/** Without what differs from run to run. */
export function outcomeOf(
  answer: { readonly code: number; readonly body: unknown; readonly warnings: readonly string[] },
  scenario: AdmissionScenario,
  hooks: HookServers,
): RecordedAdmission {
  const { name, place } = scenario;
  const context = { scenario: { name, ...(place === undefined ? {} : { place }) }, hooks, group: 'no group' };
  const { code, body: clean } = cleaned(answer, context);
  const body = JSON.parse(JSON.stringify(clean).replaceAll(/generated-[a-z0-9]{5}/g, 'generated-NAME')) as unknown;
  const received = (hooks.received.get(name) ?? []) as readonly unknown[];
  const { body: reviews } = cleaned({ code, body: received }, context);
  return { name, code, body, warnings: answer.warnings, reviews: reviewsOf(reviews as readonly object[]) };
}

/** The user differs in each run. */
function reviewsOf(reviews: readonly object[]): readonly unknown[] {
  const text = JSON.stringify(reviews, (key, value: unknown) => (key === 'userInfo' ? 'somebody' : value));
  return JSON.parse(text.replaceAll(/generated-[a-z0-9]{5}/g, 'generated-NAME')) as readonly unknown[];
}

export function hookScenarios(scenarios: readonly AdmissionScenario[]): readonly Scenario[] {
  return scenarios as readonly Scenario[];
}
