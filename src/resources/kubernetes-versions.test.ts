import { describe, expect, test } from 'vitest';
import { builtInTypes, decodeProtobuf, encodeProtobuf, type Struct } from '../api/index.ts';
import type { KubernetesVersion } from '../base/index.ts';
import { TestApi } from './testing/test-api.ts';

const PODS = '/api/v1/namespaces/kinds/pods';

/** `hostnameOverride` is there since 1.34, and its feature on since 1.35; `workloadRef` is there in 1.35 alone. */
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { hostnameOverride: 'b', workloadRef: { name: 'w', podGroup: 'g' }, containers: [{ name: 'c', image: 'i' }] },
};

function openApi(kubernetesVersion: KubernetesVersion): Promise<TestApi> {
  return TestApi.open({ kubernetesVersion });
}

describe('a field that a version of Kubernetes does not know', () => {
  test.each([
    ['1.33', ['unknown field "spec.hostnameOverride"', 'unknown field "spec.workloadRef"']],
    ['1.34', ['unknown field "spec.workloadRef"']],
    ['1.35', []],
    ['1.36', ['unknown field "spec.workloadRef"']],
    ['1.37', ['unknown field "spec.workloadRef"']],
  ] as const)('is dropped with a warning in %s', async (version, warnings) => {
    await using api = await openApi(version);
    const created = await api.send('POST', PODS, pod);
    expect(created).toMatchObject({ code: 201, warnings });
    expect(Object.keys(created.body['spec'] as object).includes('hostnameOverride')).toBe(
      ['1.35', '1.36', '1.37'].includes(version),
    );
    expect(created.body['spec']).not.toHaveProperty('schedulingGroup');
  });

  test('is refused when the client wants strict decoding', async () => {
    await using api = await openApi('1.33');
    const refused = await api.send('POST', `${PODS}?fieldValidation=Strict`, pod);
    expect(refused.code).toBe(400);
    expect(refused.body.message).toContain(
      'strict decoding error: unknown field "spec.hostnameOverride", unknown field "spec.workloadRef"',
    );
  });

  test('is skipped in protobuf, and its number is not written', () => {
    const [older, newer] = [podType('1.33'), podType('1.35')];
    const bytes = encodeProtobuf(pod, newer);
    expect(decodeProtobuf(bytes, newer)['spec']).toMatchObject({ hostnameOverride: 'b', workloadRef: { name: 'w' } });
    expect(decodeProtobuf(bytes, older)['spec']).toEqual({ containers: [expect.objectContaining({ name: 'c' })] });
    expect(encodeProtobuf(pod, older).length).toBeLessThan(bytes.length);
  });
});

describe('a version of Kubernetes', () => {
  test.each([
    ['1.33', null],
    ['1.34', undefined],
  ] as const)('writes metadata without a time of creation as %s does', async (version, time) => {
    await using api = await openApi(version);
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const { body } = await api.create({
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'a' },
      ...{ template },
    });
    expect((body['template'] as typeof template & { metadata: { creationTimestamp?: unknown } }).metadata).toEqual(
      time === undefined ? { labels: { a: 'b' } } : { labels: { a: 'b' }, creationTimestamp: time },
    );
  });

  test('accepts the values of its own enumerations', async () => {
    const taint = { key: 'example.com/broken', value: 'yes', effect: 'None' };
    const sent = {
      apiVersion: 'resource.k8s.io/v1alpha3',
      kind: 'DeviceTaintRule',
      metadata: { name: 'a' },
      spec: { deviceSelector: { driver: 'd.example.com' }, taint },
    };
    await using older = await openApi('1.34');
    expect((await older.create(sent)).body['message']).toContain(
      'spec.taint.effect: Unsupported value: "None": supported values: "NoExecute", "NoSchedule"',
    );
    await using newer = await openApi('1.35');
    expect((await newer.create(sent)).code).toBe(201);
  });

  test('warns of versions of the API from the release on that deprecates them', async () => {
    const address = {
      apiVersion: 'networking.k8s.io/v1beta1',
      kind: 'IPAddress',
      metadata: { name: '192.0.2.1' },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'a' } },
    };
    await using older = await openApi('1.33');
    expect(await older.create(address)).toMatchObject({ code: 201, warnings: [] });
    await using newer = await openApi('1.34');
    expect((await newer.create(address)).warnings).toEqual([
      'networking.k8s.io/v1beta1 IPAddress is deprecated in v1.34+, unavailable in v1.37+',
    ]);
  });

  test('warns of deprecated versions in answers about the status, too', async () => {
    await using api = await openApi('1.34');
    const warning = 'networking.k8s.io/v1beta1 ServiceCIDR is deprecated in v1.34+, unavailable in v1.37+';
    const range = {
      apiVersion: 'networking.k8s.io/v1beta1',
      kind: 'ServiceCIDR',
      metadata: { name: 'more' },
      spec: { cidrs: ['192.0.2.0/24'] },
    };
    expect(await api.create(range)).toMatchObject({ code: 201, warnings: [warning] });
    const status = '/apis/networking.k8s.io/v1beta1/servicecidrs/more/status';
    expect(await api.send('GET', status)).toMatchObject({ code: 200, warnings: [warning] });
  });

  test('lets expressions of new definitions use the language of the release before', async () => {
    const schema = {
      type: 'object',
      properties: { spec: { type: 'string', 'x-kubernetes-validations': [{ rule: 'isSemver(self)' }] } },
    };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'as.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'as', kind: 'A' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    };
    await using older = await openApi('1.33');
    expect((await older.create(definition)).body.message).toContain("undeclared reference to 'isSemver'");
    await using newer = await openApi('1.34');
    expect((await newer.create(definition)).code).toBe(201);
  });
});

describe('fields of features that are off by default', () => {
  const rules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }];
  const container = { name: 'c', image: 'i', restartPolicy: 'Never', restartPolicyRules: rules };
  const spec = {
    hostnameOverride: 'b',
    volumes: [{ name: 'v', image: { reference: 'r' } }],
    containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  };

  test.each([
    ['1.34', false],
    ['1.35', true],
  ] as const)('are dropped without a warning in %s: %s', async (version, areKept) => {
    await using api = await openApi(version);
    const created = await api.send('POST', PODS, { ...pod, spec });
    expect(created).toMatchObject({ code: 201, warnings: [] });
    const kept = created.body['spec'] as typeof spec;
    expect(kept.hostnameOverride).toBe(areKept ? 'b' : undefined);
    expect(kept.containers[0]?.restartPolicyRules).toEqual(areKept ? rules : undefined);
    expect(kept.containers[0]?.restartPolicy).toBe(areKept ? 'Never' : undefined);
    expect((kept.volumes ?? []).some(({ name }) => name === 'v')).toBe(areKept);
  });

  test('are dropped from templates of pods too, and claims and autoscalers have theirs', async () => {
    await using api = await openApi('1.33');
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { ...spec, resourceClaims: [{ name: 'r', resourceClaimName: 'x' }] },
    };
    const deployment = await api.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    expect(deployment.code).toBe(201);
    expect((deployment.body['spec'] as { template: typeof template }).template.spec.resourceClaims).toBeUndefined();
    const claim = await api.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'a' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeAttributesClassName: 'fast',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    expect(claim.code).toBe(201);
    expect(claim.body['spec']).not.toHaveProperty('volumeAttributesClassName');
    const autoscaler = await api.create({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        behavior: { scaleUp: { tolerance: '0.2', stabilizationWindowSeconds: 5 } },
      },
    });
    expect(autoscaler.code).toBe(201);
    const { behavior } = autoscaler.body['spec'] as { behavior: { scaleUp: object } };
    expect(behavior.scaleUp).toMatchObject({ stabilizationWindowSeconds: 5 });
    expect(behavior.scaleUp).not.toHaveProperty('tolerance');
  });
});

describe('what changes with 1.37', () => {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', emptyDir: { mode: 448 } }] },
  };

  test('fields of features that it has off are dropped without a warning', async () => {
    await using api = await openApi('1.37');
    const sent = {
      ...pod,
      spec: {
        evictionResponders: [{ name: 'example.com/mover', priority: 2000 }],
        volumes: [
          { name: 'v', emptyDir: { mode: 448 } },
          { name: 'w', configMap: { name: 'm', defaultUser: 7, items: [{ key: 'k', path: 'p', user: 7 }] } },
        ],
        containers: [
          {
            name: 'c',
            image: 'i',
            volumeMounts: [{ name: 'v', mountPath: '/v', bindMountOptions: ['noexec'] }],
            livenessProbe: { httpGet: { port: 80, protocol: 'HTTP2' } },
            readinessProbe: { grpc: { port: 80, mode: 'TLS' } },
          },
        ],
      },
    };
    const created = await api.send('POST', PODS, sent);
    expect(created).toMatchObject({ code: 201, warnings: [] });
    const text = JSON.stringify(created.body['spec']);
    expect(text).not.toMatch(/evictionResponders|"mode"|[uU]ser"|bindMountOptions|protocol":"HTTP2/);
    expect(created.body['spec']).toMatchObject({ volumes: [{ emptyDir: {} }, { configMap: { name: 'm' } }] });
    const deployment = await api.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    expect(deployment).toMatchObject({ code: 201, warnings: [] });
    expect(JSON.stringify(deployment.body['spec'])).toContain('"emptyDir":{}');
  });

  test.each([
    ['1.36', false],
    ['1.37', true],
  ] as const)(
    'certificates can be mounted, autoscalers may scale to zero, drivers may be waited for in %s: %s',
    async (version, isOn) => {
      await using api = await openApi(version);
      const trust = { clusterTrustBundle: { signerName: 'example.com/s', path: 'p', labelSelector: {} } };
      const sources = [trust, { downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] } }];
      const created = await api.send('POST', PODS, {
        ...pod,
        spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', projected: { sources } }] },
      });
      if (isOn) expect(JSON.stringify(created.body['spec'])).toContain('"clusterTrustBundle"');
      else expect(JSON.stringify(created.body)).not.toContain('"clusterTrustBundle"');

      const autoscaler = await api.create({
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'a' },
        spec: {
          minReplicas: 0,
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
          metrics: [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '3' } } }],
        },
      });
      expect(autoscaler.code).toBe(isOn ? 201 : 422);
      if (isOn) expect(autoscaler.body.metadata?.generation).toBe(1);

      const driver = await api.create({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIDriver',
        metadata: { name: 'd.example.com' },
        spec: { preventPodSchedulingIfMissing: true },
      });
      expect('preventPodSchedulingIfMissing' in (driver.body['spec'] as object)).toBe(isOn);
    },
  );

  test('a StatefulSet may lose one pod at a time, and names each field that must not change', async () => {
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'a' },
      spec: {
        serviceName: 's',
        selector: { matchLabels: { a: 'b' } },
        template: { ...template, spec: { containers: template.spec.containers } },
      },
    };
    for (const [version, rollingUpdate] of [
      ['1.36', { partition: 0 }],
      ['1.37', { partition: 0, maxUnavailable: 1 }],
    ] as const) {
      await using api = await openApi(version);
      const created = await api.create(set);
      expect(created.body['spec']).toMatchObject({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
      expect((created.body['spec'] as { updateStrategy: object }).updateStrategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate,
      });
      const changed = { ...created.body, spec: { ...(created.body['spec'] as object), serviceName: 't' } };
      const refused = await api.send('PUT', `${api.collectionOf(set)}/a`, changed);
      expect(refused.body['message']).toContain(
        version === '1.36'
          ? 'spec: Forbidden: updates to statefulset spec for fields other than'
          : 'spec.serviceName: Invalid value: "t": field is immutable',
      );
    }
  });

  test('requests for evictions are served when they are asked for, and checked', async () => {
    await using api = await openApi('1.37');
    const request = {
      apiVersion: 'lifecycle.k8s.io/v1alpha1',
      kind: 'EvictionRequest',
      metadata: { name: 'a' },
      spec: {
        target: { pod: { name: 'p', uid: '0190b5ce-8a9d-4f43-8c2f-3e5a3f1f9a01' } },
        requester: 'example.com/drainer',
        intent: 'Eviction',
      },
    };
    const created = await api.create(request);
    expect(created).toMatchObject({ code: 201, body: { ...request, metadata: { generation: 1 } } });
    const withdrawn = { ...created.body, spec: { ...request.spec, intent: 'Withdrawn' } };
    const path = `${api.collectionOf(request)}/a`;
    const updated = await api.send('PUT', path, withdrawn);
    expect(updated).toMatchObject({ code: 200, body: { metadata: { generation: 2 } } });
    const other = { ...updated.body, spec: { ...request.spec, requester: 'example.com/other' } };
    expect((await api.send('PUT', path, other)).body['message']).toContain('spec.requester: Invalid value');
    const wrong = await api.create({
      ...request,
      metadata: { name: 'b' },
      spec: { ...request.spec, intent: 'Perhaps' },
    });
    expect(await messageFor({ ...request.spec, target: {} })).toContain(
      'spec.target: Invalid value: "": must specify one of: `pod`',
    );
    expect(await messageFor({ ...request.spec, requester: 'drainer' })).toContain(
      `spec.requester: Invalid value: "drainer": must include a prefix (e.g. 'example.com/key')`,
    );
    async function messageFor(spec: object): Promise<unknown> {
      const { code, body } = await api.create({ ...request, metadata: { name: 'c' }, spec });
      expect(code).toBe(422);
      return body['message'];
    }
    expect(wrong.body['message']).toContain('spec.intent: Unsupported value: "Perhaps": supported values: "Eviction"');
  });

  test('groups of pods have a new form, in two versions of the API', async () => {
    await using api = await openApi('1.37');
    const group = {
      apiVersion: 'scheduling.k8s.io/v1beta1',
      kind: 'PodGroup',
      metadata: { name: 'a' },
      spec: {
        workloadRef: { workloadName: 'w', templateName: 't' },
        schedulingPolicy: { gang: { minCount: 2 } },
        disruptionMode: { single: {} },
      },
    };
    expect(await api.create(group)).toMatchObject({ code: 201, body: group });
    const both = { ...group.spec, schedulingPolicy: { basic: {}, gang: { minCount: 2 } } };
    const refused = await api.create({ ...group, metadata: { name: 'b' }, spec: both });
    expect(refused.body['message']).toContain(
      'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
    );
    const alpha = { ...group, apiVersion: 'scheduling.k8s.io/v1alpha3' };
    expect((await api.send('GET', `${api.collectionOf(alpha)}/a`)).body).toMatchObject(alpha);
  });
});

describe('APIs that went', () => {
  test.each([
    [
      '1.33',
      {
        apiVersion: 'resource.k8s.io/v1alpha3',
        kind: 'ResourceSlice',
        spec: {
          driver: 'd.example.com',
          nodeName: 'n',
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'a', basic: { capacity: { memory: '1Gi' } } }],
        },
      },
    ],
    [
      '1.33',
      {
        apiVersion: 'resource.k8s.io/v1alpha3',
        kind: 'ResourceClaim',
        spec: { devices: { requests: [{ name: 'r', deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 }] } },
      },
    ],
    [
      '1.33',
      {
        apiVersion: 'admissionregistration.k8s.io/v1beta1',
        kind: 'ValidatingAdmissionPolicyBinding',
        spec: { policyName: 'p', validationActions: ['Deny'] },
      },
    ],
    [
      '1.34',
      { apiVersion: 'storage.k8s.io/v1alpha1', kind: 'VolumeAttributesClass', driverName: 'd', parameters: { a: 'b' } },
    ],
    [
      '1.34',
      {
        apiVersion: 'storagemigration.k8s.io/v1alpha1',
        kind: 'StorageVersionMigration',
        spec: { resource: { group: 'apps', version: 'v1', resource: 'deployments' }, continueToken: 'x' },
      },
    ],
    [
      '1.35',
      {
        apiVersion: 'scheduling.k8s.io/v1alpha1',
        kind: 'Workload',
        spec: { podGroups: [{ name: 'g', policy: { gang: { minCount: 2 } } }] },
      },
    ],
    [
      '1.36',
      {
        apiVersion: 'scheduling.k8s.io/v1alpha2',
        kind: 'Workload',
        spec: { podGroupTemplates: [{ name: 'g', schedulingPolicy: { gang: { minCount: 2 } } }] },
      },
    ],
  ] as const)('are written and read as sent in %s: %j', async (version, object) => {
    await using api = await openApi(version);
    const created = await api.create({ ...object, metadata: { name: 'a' } });
    expect(created).toMatchObject({ code: 201, body: object });
    const read = await api.send('GET', `${api.collectionOf(object)}/a`);
    expect(read.body).toEqual(created.body);
    await using next = await openApi(version === '1.36' ? '1.37' : '1.36');
    expect(() => next.collectionOf(object)).toThrow('No kind');
  });
});

function podType(version: KubernetesVersion): Struct {
  return builtInTypes(version).struct('io.k8s.api.core.v1.Pod');
}
