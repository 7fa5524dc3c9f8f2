import { describe, expect, test } from 'vitest';
import type { AdmissionAttributes } from '../../../apiserver/index.ts';
import { MetricRegistry } from '../../../base/index.ts';
import { MERGE_PATCH, TestApi } from '../../testing/test-api.ts';
import { podSecurity } from './pod-security.ts';
import { DEFAULT_POD_SECURITY, type PodSecurityConfiguration } from './pod-security-configuration.ts';

const PREFIX = 'pod-security.kubernetes.io/';
const PODS = '/api/v1/namespaces/guarded/pods';

interface Guarded {
  readonly api: TestApi;
  readonly metrics: MetricRegistry;
  /** The audit annotations, one list for each request. */
  readonly audited: readonly (readonly string[])[];
}

async function guarded(
  labels: Readonly<Record<string, string>>,
  configuration?: Partial<PodSecurityConfiguration>,
): Promise<Guarded> {
  const metrics = new MetricRegistry();
  const audited: string[][] = [];
  const api = await TestApi.open({}, (parts) => {
    const plugin = podSecurity({ ...parts, metrics }, { ...DEFAULT_POD_SECURITY, ...configuration });
    const validate = (request: AdmissionAttributes): void | Promise<void> => {
      const notes: string[] = [];
      audited.push(notes);
      request.annotate = (key, value) => void notes.push(`${key.replace(PREFIX, '')}=${value}`);
      return plugin.validate?.(request);
    };
    return [{ ...plugin, validate }];
  });
  const prefixed = Object.fromEntries(Object.entries(labels).map(([name, value]) => [PREFIX + name, value]));
  await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'guarded', labels: prefixed } });
  audited.length = 0;
  return { api, metrics, audited };
}

const container = { name: 'c', image: 'i' };
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [container], ...spec } });
const label = (labels: Readonly<Record<string, string | null>>) => ({
  metadata: { labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [PREFIX + name, value])) },
});
const relabel = (api: TestApi, labels: Readonly<Record<string, string | null>>) =>
  api.send('PATCH', '/api/v1/namespaces/guarded', label(labels), MERGE_PATCH);

describe('pods', () => {
  test('are refused with all violations, baseline checks first', async () => {
    const { api, audited, metrics } = await guarded({
      enforce: 'restricted',
      'enforce-version': 'v1.24',
      audit: 'baseline',
    });
    await using _ = api;

    const { code, body, warnings } = await api.send('POST', PODS, pod('a', { hostNetwork: true, hostPID: true }));

    expect([code, body.reason, warnings]).toEqual([403, 'Forbidden', []]);
    expect(body.message).toBe(
      'pods "a" is forbidden: violates PodSecurity "restricted:v1.24": host namespaces (hostNetwork=true, hostPID=true), ' +
        'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
    expect(audited).toEqual([
      [
        'enforce-policy=restricted:v1.24',
        'audit-violations=would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true, hostPID=true)',
      ],
    ]);
    expect(
      metrics
        .expose()
        .split('\n')
        .filter((line) => line.includes('decision="deny"')),
    ).toEqual([
      'pod_security_evaluations_total{decision="deny",mode="audit",policy_level="baseline",policy_version="latest",request_operation="create",resource="pod",subresource=""} 1',
      'pod_security_evaluations_total{decision="deny",mode="enforce",policy_level="restricted",policy_version="v1.24",request_operation="create",resource="pod",subresource=""} 1',
    ]);
  });

  test('are checked again when an image changes or a debug container is added, not for labels', async () => {
    const { api } = await guarded({});
    await using _ = api;
    await api.send('POST', PODS, pod('a', { hostNetwork: true }));
    await relabel(api, { enforce: 'baseline' });
    const patch = (body: object) => api.send('PATCH', `${PODS}/a`, body, MERGE_PATCH);
    const debugged = { spec: { ephemeralContainers: [{ name: 'd', image: 'i' }] } };

    expect((await patch({ metadata: { labels: { a: 'b' } } })).code).toBe(200);
    expect((await patch({ spec: { containers: [{ ...container, image: 'other' }] } })).code).toBe(403);
    expect((await api.send('PATCH', `${PODS}/a/ephemeralcontainers`, debugged, MERGE_PATCH)).code).toBe(403);
  });
});

test('controllers get warnings and are never refused, by the enforced level unless another is set', async () => {
  const { api, audited } = await guarded({ enforce: 'baseline' });
  await using _ = api;
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container], hostIPC: true } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };

  const { code, warnings } = await api.send('POST', '/apis/apps/v1/namespaces/guarded/deployments', {
    metadata: { name: 'd' },
    spec,
  });

  expect([code, warnings]).toEqual([
    201,
    ['would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)'],
  ]);
  expect(audited).toEqual([[]]);
});

describe('namespaces', () => {
  test('with invalid labels are refused, unless they had them before', async () => {
    const { api } = await guarded({});
    await using _ = api;

    const { code, body } = await relabel(api, { enforce: 'strict', 'warn-version': '1.30' });

    expect([code, body.message]).toEqual([
      422,
      `Namespace "guarded" is invalid: [metadata.labels[${PREFIX}enforce]: Invalid value: "strict": ` +
        `must be one of privileged, baseline, restricted, metadata.labels[${PREFIX}warn-version]: ` +
        'Invalid value: "1.30": must be "latest" or "v1.x"]',
    ]);
  });

  test('that enforce more warn about their existing pods, grouped by violation', async () => {
    const { api } = await guarded({});
    await using _ = api;
    for (const name of ['c', 'a', 'b']) await api.send('POST', PODS, pod(name, { hostNetwork: true }));
    await api.send(
      'POST',
      PODS,
      pod('e', { hostNetwork: true, containers: [{ ...container, securityContext: { privileged: true } }] }),
    );
    await api.send('POST', PODS, pod('fine'));

    expect((await relabel(api, { enforce: 'baseline' })).warnings).toEqual([
      'existing pods in namespace "guarded" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 2 other pods): host namespaces',
      'e: host namespaces, privileged',
    ]);
    expect((await relabel(api, { enforce: 'baseline', warn: 'restricted' })).warnings).toEqual([]);
    expect((await relabel(api, { enforce: 'privileged' })).warnings).toEqual([]);
  });
});

describe('exempt', () => {
  const none = { usernames: [], namespaces: [], runtimeClasses: [] };

  test('namespaces, with a warning that their labels have no effect', async () => {
    const exemptions = { ...none, namespaces: ['guarded'] };
    const { api, audited, metrics } = await guarded({ enforce: 'restricted' }, { exemptions });
    await using _ = api;

    expect((await api.send('POST', PODS, pod('a'))).code).toBe(201);
    expect(audited).toEqual([['exempt=namespace']]);
    expect((await relabel(api, { enforce: 'baseline' })).warnings).toEqual([]);
    expect((await relabel(api, { enforce: 'restricted' })).warnings).toEqual([
      'namespace "guarded" is exempt from Pod Security, and the policy (enforce=restricted:latest) will be ignored',
    ]);
    expect(metrics.expose()).toContain(
      'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1',
    );
  });

  test('users', async () => {
    const exemptions = { ...none, usernames: ['admin'] };
    const { api, audited } = await guarded({ enforce: 'restricted' }, { exemptions });
    await using _ = api;

    expect((await api.send('POST', PODS, pod('a'))).code).toBe(201);
    expect(audited).toEqual([['exempt=user']]);
  });

  test('runtime classes, also of existing pods', async () => {
    const exemptions = { ...none, runtimeClasses: ['sandboxed'] };
    const { api, audited } = await guarded({ enforce: 'restricted' }, { exemptions });
    await using _ = api;

    expect((await api.send('POST', PODS, pod('a', { runtimeClassName: 'sandboxed' }))).code).toBe(201);
    expect((await api.send('POST', PODS, pod('b', { runtimeClassName: 'other' }))).code).toBe(403);
    expect(audited[0]).toEqual(['exempt=runtimeClass']);
    await relabel(api, { enforce: 'privileged' });
    expect((await relabel(api, { enforce: 'restricted' })).warnings).toEqual([]);
  });
});

test('defaults apply if there are no labels', async () => {
  const restricted = { level: 'restricted', version: 'latest' } as const;
  const { api } = await guarded({}, { defaults: { enforce: restricted, audit: restricted, warn: restricted } });
  await using _ = api;

  expect((await api.send('POST', PODS, pod('a'))).code).toBe(403);
});
