import { expect, test } from 'vitest';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { MERGE_PATCH, TestApi } from '../testing/test-api.ts';

const APPLY = 'application/apply-patch+yaml';
const PODS = '/api/v1/namespaces/kinds/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/kinds/deployments';

/** One line for what a plugin sees: `CREATE pods v1.Pod kinds/web +{…} {options}`. */
function lineOf(attributes: AdmissionAttributes): string {
  const { operation, resource, subresource, kind, namespace, name, object, old, options } = attributes;
  const seen = subresource === '' ? resource.plural : `${resource.plural}/${subresource}`;
  const objects = [object === undefined ? '' : ` +${object.kind}`, old === undefined ? '' : ` -${old.kind}`].join('');
  const { kind: optionsKind, apiVersion: _, ...stated } = options ?? {};
  const said = Object.keys(stated).length === 0 ? '' : JSON.stringify(stated);
  const gvk = [kind.group, kind.version, kind.kind].filter((part) => part !== '').join('/');
  return `${operation} ${seen} ${gvk} ${namespace}/${name}${objects} ${optionsKind ?? 'none'}${said}`;
}

/** An API server, and what its plugins have seen since the last check; both phases must see the same. */
async function recording() {
  let mutated: string[] = [];
  let validated: string[] = [];
  const recorder: AdmissionPlugin = {
    name: 'Recorder',
    mutate: (attributes) => void mutated.push(lineOf(attributes)),
    validate: (attributes) => void validated.push(lineOf(attributes)),
  };
  const api = await TestApi.open({}, () => [recorder]);
  const seen = (): readonly string[] => {
    const lines = mutated.length === 0 ? validated : mutated;
    if (validated.length > 0) expect(validated).toEqual(lines);
    mutated = [];
    validated = [];
    return lines;
  };
  return { api, seen };
}

const container = { name: 'main', image: 'web' };
const pod = (name: string, labels = {}) => ({ metadata: { name, labels }, spec: { containers: [container] } });
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
const deployment = { metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template } };
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
const lease = { metadata: { name: 'turn' }, spec: {} };
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kinds/leases';
const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };

interface Step {
  readonly send: readonly [method: string, path: string, body?: object, type?: string];
  readonly code: number;
  readonly seen: readonly string[];
}

const steps: readonly Step[] = [
  {
    send: ['POST', `${PODS}?fieldManager=me&fieldValidation=Strict`, pod('web')],
    code: 201,
    seen: ['CREATE pods v1/Pod kinds/web +Pod CreateOptions{"fieldManager":"me","fieldValidation":"Strict"}'],
  },
  {
    send: ['POST', `${PODS}?dryRun=All`, pod('dry')],
    code: 201,
    seen: ['CREATE pods v1/Pod kinds/dry +Pod CreateOptions{"dryRun":["All"]}'],
  },
  {
    send: ['POST', '/api/v1/namespaces', { metadata: { name: 'new' } }],
    code: 201,
    seen: ['CREATE namespaces v1/Namespace new/new +Namespace CreateOptions'],
  },
  {
    send: ['PATCH', `${PODS}/web`, { metadata: { labels: { a: 'b' } } }, MERGE_PATCH],
    code: 200,
    seen: ['UPDATE pods v1/Pod kinds/web +Pod -Pod UpdateOptions'],
  },
  {
    send: ['PATCH', `${PODS}/web/status`, { status: { phase: 'Pending' } }, MERGE_PATCH],
    code: 200,
    seen: ['UPDATE pods/status v1/Pod kinds/web +Pod -Pod UpdateOptions'],
  },
  {
    send: ['PATCH', `${PODS}/web/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }, MERGE_PATCH],
    code: 200,
    seen: ['UPDATE pods/ephemeralcontainers v1/Pod kinds/web +Pod -Pod UpdateOptions'],
  },
  {
    send: ['PATCH', `${PODS}/web/resize`, { spec: { containers: [container] } }, MERGE_PATCH],
    code: 200,
    seen: ['UPDATE pods/resize v1/Pod kinds/web +Pod -Pod UpdateOptions'],
  },
  {
    send: ['PATCH', '/api/v1/namespaces/kinds/configmaps/settings?fieldManager=me&force=true', configMap, APPLY],
    code: 201,
    seen: ['CREATE configmaps v1/ConfigMap kinds/settings +ConfigMap CreateOptions{"fieldManager":"me"}'],
  },
  {
    send: ['PATCH', '/api/v1/namespaces/kinds/configmaps/settings?fieldManager=me', { ...configMap, data: {} }, APPLY],
    code: 200,
    seen: ['UPDATE configmaps v1/ConfigMap kinds/settings +ConfigMap -ConfigMap UpdateOptions{"fieldManager":"me"}'],
  },
  {
    send: ['PUT', `${LEASES}/turn`, lease],
    code: 201,
    seen: ['CREATE leases coordination.k8s.io/v1/Lease kinds/turn +Lease CreateOptions'],
  },
  {
    send: ['PUT', '/api/v1/namespaces/kinds/configmaps/settings', configMap],
    code: 200,
    seen: ['UPDATE configmaps v1/ConfigMap kinds/settings +ConfigMap -ConfigMap UpdateOptions'],
  },
  {
    send: ['POST', `${PODS}/web/binding`, { metadata: { name: 'web' }, target: { kind: 'Node', name: 'n1' } }],
    code: 201,
    seen: ['CREATE pods/binding v1/Binding kinds/web +Binding CreateOptions'],
  },
  {
    send: [
      'POST',
      '/api/v1/namespaces/kinds/bindings',
      { metadata: { name: 'absent' }, target: { kind: 'Node', name: 'n1' } },
    ],
    code: 404,
    seen: ['CREATE bindings v1/Binding kinds/absent +Binding CreateOptions'],
  },
  {
    send: ['GET', `${PODS}/web/log`],
    code: 404,
    seen: [],
  },
  {
    send: ['POST', `${PODS}/web/exec?command=ls&command=-l&stdout=true&container=main`],
    code: 404,
    seen: ['CONNECT pods/exec v1/PodExecOptions kinds/web +PodExecOptions none'],
  },
  {
    send: ['POST', `${PODS}/web/exec?command=ls&dryRun=All`],
    code: 400,
    seen: [],
  },
  {
    send: ['GET', `${PODS}/web/attach`],
    code: 404,
    seen: ['CONNECT pods/attach v1/PodAttachOptions kinds/web +PodAttachOptions none'],
  },
  {
    send: ['POST', `${PODS}/web/portforward?ports=80`],
    code: 404,
    seen: ['CONNECT pods/portforward v1/PodPortForwardOptions kinds/web +PodPortForwardOptions none'],
  },
  {
    send: ['DELETE', '/api/v1/namespaces/kinds/services/web:80/proxy/some/path'],
    code: 501,
    seen: ['CONNECT services/proxy v1/ServiceProxyOptions kinds/web:80 +ServiceProxyOptions none'],
  },
  {
    send: ['GET', '/api/v1/nodes/n1/proxy/metrics'],
    code: 501,
    seen: ['CONNECT nodes/proxy v1/NodeProxyOptions /n1 +NodeProxyOptions none'],
  },
  {
    send: ['POST', `${PODS}/web/eviction`, { metadata: { name: 'web' } }],
    code: 201,
    seen: ['CREATE pods/eviction policy/v1/Eviction kinds/web +Eviction CreateOptions'],
  },
  {
    send: ['POST', DEPLOYMENTS, deployment],
    code: 201,
    seen: ['CREATE deployments apps/v1/Deployment kinds/web +Deployment CreateOptions'],
  },
  {
    send: ['PUT', `${DEPLOYMENTS}/web/scale`, { metadata: { name: 'web' }, spec: { replicas: 3 } }],
    code: 200,
    seen: ['UPDATE deployments/scale autoscaling/v1/Scale kinds/web +Scale -Scale UpdateOptions'],
  },
  {
    send: ['PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 4 } }, MERGE_PATCH],
    code: 200,
    seen: ['UPDATE deployments/scale autoscaling/v1/Scale kinds/web +Scale -Scale UpdateOptions'],
  },
  {
    send: ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review],
    code: 501,
    seen: [
      'CREATE selfsubjectaccessreviews authorization.k8s.io/v1/SelfSubjectAccessReview / +SelfSubjectAccessReview CreateOptions',
    ],
  },
  {
    send: ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }],
    code: 201,
    seen: ['CREATE tokenreviews authentication.k8s.io/v1/TokenReview / +TokenReview CreateOptions'],
  },
  {
    send: ['DELETE', `${DEPLOYMENTS}/web?propagationPolicy=Orphan&gracePeriodSeconds=0`],
    code: 200,
    seen: [
      'DELETE deployments apps/v1/Deployment kinds/web -Deployment DeleteOptions{"gracePeriodSeconds":0,"propagationPolicy":"Orphan"}',
    ],
  },
  {
    send: ['DELETE', '/api/v1/namespaces/kinds/configmaps', { dryRun: ['All'] }],
    code: 200,
    seen: ['DELETE configmaps v1/ConfigMap kinds/ -ConfigMap DeleteOptions{"dryRun":["All"]}'],
  },
  {
    send: ['DELETE', '/api/v1/namespaces/kinds/configmaps'],
    code: 200,
    seen: ['DELETE configmaps v1/ConfigMap kinds/ -ConfigMap DeleteOptions'],
  },
  {
    send: ['GET', PODS],
    code: 200,
    seen: [],
  },
];

test("plugins see each verb and subresource as kube-apiserver's do", async () => {
  const { api, seen } = await recording();
  await using _ = api;
  seen();
  for (const step of steps) {
    const { code, body } = await api.send(...step.send);
    const request = `${step.send[0]} ${step.send[1]}`;
    expect([request, code, ...seen()], body.message).toEqual([request, step.code, ...step.seen]);
  }
});

test('mutation sees a new object without name, uid and time; validation sees it with them', async () => {
  const names: (readonly unknown[])[] = [];
  const record = ({ name, object }: AdmissionAttributes): void => {
    const { uid, creationTimestamp, managedFields } = object?.metadata ?? {};
    names.push([name, uid !== undefined, creationTimestamp !== undefined, managedFields !== undefined]);
  };
  await using api = await TestApi.open({}, () => [{ name: 'Recorder', mutate: record, validate: record }]);
  names.length = 0;
  await api.send('POST', PODS, { metadata: { generateName: 'web-', uid: 'mine' }, spec: { containers: [container] } });

  expect(names).toEqual([
    ['', false, false, true],
    [expect.stringMatching(/^web-.{5}$/), true, true, true],
  ]);
});

test('the options of a connection come from its path and query', async () => {
  const objects: unknown[] = [];
  const recorder: AdmissionPlugin = {
    name: 'Recorder',
    handles: ({ operation }) => operation === 'CONNECT',
    validate: ({ object }) => void objects.push(object),
  };
  await using api = await TestApi.open({}, () => [recorder]);
  await api.send('POST', `${PODS}/web/exec?command=ls&command=-l&stdout=1&stdin=false`);
  await api.send('GET', `${PODS}/web/portforward?ports=80&ports=443`);
  await api.send('GET', `${PODS}/web/proxy/some/path`);

  expect(objects).toEqual([
    { kind: 'PodExecOptions', apiVersion: 'v1', stdout: true, command: ['ls', '-l'] },
    { kind: 'PodPortForwardOptions', apiVersion: 'v1', ports: [80, 443] },
    { kind: 'PodProxyOptions', apiVersion: 'v1', path: '/some/path' },
  ]);
});

test('a plugin can ask for one more round of all mutating plugins', async () => {
  const runs: string[] = [];
  const run = (name: string): AdmissionPlugin => ({
    name,
    handles: ({ resource }) => resource.plural === 'configmaps',
    mutate(attributes) {
      runs.push(`${name} ${attributes.isReinvoked ? 'again' : 'first'}`);
      if (name === 'Sidecar') attributes.requestReinvocation();
    },
  });
  await using api = await TestApi.open({}, () => [run('Defaults'), run('Sidecar'), run('Limits')]);
  await api.create(configMap);

  expect(runs).toEqual([
    'Defaults first',
    'Sidecar first',
    'Limits first',
    'Defaults again',
    'Sidecar again',
    'Limits again',
  ]);
});

test('the mutated object is stored, even if members were removed', async () => {
  const remover: AdmissionPlugin = {
    name: 'Remover',
    handles: ({ operation, resource }) => operation === 'UPDATE' && resource.plural === 'configmaps',
    mutate(attributes) {
      const { data: _, ...rest } = attributes.object ?? { metadata: {} };
      attributes.object = rest as AdmissionAttributes['object'];
    },
  };
  await using api = await TestApi.open({}, () => [remover]);
  await api.create({ ...configMap, data: { color: 'red' } } as typeof configMap);
  const path = '/api/v1/namespaces/kinds/configmaps/settings';
  const { body } = await api.send('PATCH', path, { data: { shape: 'round' } }, MERGE_PATCH);

  expect(body['data']).toBeUndefined();
});

test('the mutated Scale is written back to its object', async () => {
  const limiter: AdmissionPlugin = {
    name: 'Limiter',
    handles: ({ subresource }) => subresource === 'scale',
    mutate(attributes) {
      attributes.object = { ...attributes.object, spec: { replicas: 2 } } as unknown as AdmissionAttributes['object'];
    },
  };
  await using api = await TestApi.open({}, () => [limiter]);
  await api.send('POST', DEPLOYMENTS, deployment);
  await api.send('PATCH', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 40 } }, MERGE_PATCH);

  expect((await api.send('GET', `${DEPLOYMENTS}/web`)).body['spec']).toMatchObject({ replicas: 2 });
});

test('attributes can show another version and keep the requested one; they collect audit annotations', async () => {
  const seen: unknown[] = [];
  const recorder: AdmissionPlugin = {
    name: 'Recorder',
    handles: ({ resource }) => resource.plural === 'cronjobs' || resource.plural === 'deployments',
    validate(attributes) {
      const other = attributes.as({ ...attributes.resource, version: 'v9' }, { object: undefined, old: undefined });
      seen.push([other.kind.version, other.requestKind, other.requestResource, other.name, attributes.signal.aborted]);
      attributes.annotate('recorder.example.com/seen', 'yes');
      expect(() => attributes.annotate('seen', 'yes')).toThrow('Cannot add audit annotation "seen"');
    },
  };
  await using api = await TestApi.open({}, () => [recorder]);
  await api.send('POST', DEPLOYMENTS, deployment);

  expect(seen).toEqual([
    [
      'v9',
      { group: 'apps', version: 'v1', kind: 'Deployment' },
      { group: 'apps', version: 'v1', resource: 'deployments' },
      'web',
      false,
    ],
  ]);
});
