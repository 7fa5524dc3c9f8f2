// What decoding and encoding cost: `node scripts/run.mjs bench/codec.ts`. CPU time per operation, in steady state.
import {
  builtInTypes,
  canonicalize,
  canonicalizeOwned,
  decodeJson,
  decodeProtobuf,
  decodeYaml,
  encodeJson,
  encodeProtobuf,
  encodeYaml,
  type PlainObject,
  type Struct,
} from '../src/api/index.ts';

const types = builtInTypes();
const ROUNDS = 5;
const WARM_UP = 5000;

/** The fastest of several rounds, in microseconds of CPU time. */
function measure(run: () => unknown): number {
  for (let index = 0; index < WARM_UP; index++) run();
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const count = 4000;
    const start = process.cpuUsage();
    for (let index = 0; index < count; index++) run();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / count);
  }
  return best;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** Keys sorted, as kubectl sends them, so that nothing is in canonical order. */
function bench(name: string, struct: Struct, object: PlainObject): void {
  const text = JSON.stringify(sorted(object));
  const bytes = Buffer.from(text);
  const value = JSON.parse(text) as PlainObject;
  const canonical = canonicalize(value, struct);
  const binary = encodeProtobuf(canonical, struct);
  const yaml = encodeYaml(canonical);
  const rows: Record<string, number> = {
    'JSON.parse': measure(() => JSON.parse(text) as unknown),
    'JSON.stringify': measure(() => JSON.stringify(canonical)),
    canonicalize: measure(() => canonicalize(value, struct)),
    'canonicalize, input given away': measure(() => canonicalizeOwned(value, struct)),
    'canonicalize with defaults': measure(() => canonicalize(value, struct, { defaults: true })),
    'decodeJson, strict, defaults': measure(() =>
      decodeJson(bytes, struct, { fieldValidation: 'Strict', defaults: true }),
    ),
    encodeJson: measure(() => encodeJson(canonical)),
    encodeProtobuf: measure(() => encodeProtobuf(canonical, struct)),
    decodeProtobuf: measure(() => decodeProtobuf(binary, struct)),
    encodeYaml: measure(() => encodeYaml(canonical)),
    decodeYaml: measure(() => decodeYaml(yaml, struct)),
  };
  console.log(`\n${name}: ${text.length} bytes of JSON, ${binary.length} of protobuf`);
  for (const [row, micros] of Object.entries(rows))
    console.log(`  ${row.padEnd(32)}${micros.toFixed(2).padStart(8)} µs`);
}

const container = {
  name: 'web',
  image: 'registry.example.com/web:1.25.3',
  command: ['/bin/web'],
  args: ['--listen', ':8080', '--verbose'],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: [
    { name: 'MODE', value: 'production' },
    { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'web', key: 'token' } } },
    { name: 'POD', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
  ],
  resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/web' },
    { name: 'access', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
  ],
  livenessProbe: {
    httpGet: { path: '/healthz', port: 8080, scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  },
  readinessProbe: {
    httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  },
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-7d4b9c6f5-x2x1z',
    generateName: 'web-7d4b9c6f5-',
    namespace: 'default',
    uid: 'ab436fd8-0d7b-4821-9b7d-45d5fb9e1fdc',
    resourceVersion: '515',
    creationTimestamp: '2026-11-15T04:47:41Z',
    labels: { app: 'web', tier: 'front', 'pod-template-hash': '7d4b9c6f5' },
    annotations: { 'example.com/checksum': '0f343b0931126a20f133d67c2b018a3b', 'example.com/owner': 'team-web' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-7d4b9c6f5',
        uid: 'ab436fd8-0d7b-4821-9b7d-45d5fb9e1fdd',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-11-15T04:47:41Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {}, 'f:app': {}, 'f:tier': {} } },
          'f:spec': {
            'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } },
          },
        },
      },
    ],
  },
  spec: {
    volumes: [
      { name: 'config', configMap: { name: 'web', defaultMode: 420 } },
      {
        name: 'access',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [container],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'default',
    serviceAccount: 'default',
    nodeName: 'node-1',
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  },
  status: {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-11-15T04:47:45Z',
    })),
    hostIP: '10.0.0.1',
    podIP: '10.1.0.7',
    podIPs: [{ ip: '10.1.0.7' }],
    startTime: '2026-11-15T04:47:41Z',
    containerStatuses: [
      {
        name: 'web',
        state: { running: { startedAt: '2026-11-15T04:47:44Z' } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: 'registry.example.com/web:1.25.3',
        imageID: 'sha256:0f343b0931126a20f133d67c2b018a3b',
        containerID: 'containerd://0f343b0931126a20',
        started: true,
      },
    ],
    qosClass: 'Burstable',
  },
};

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'nginx',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '100m', memory: '64Mi' } },
          },
        ],
      },
    },
  },
};

const configMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  data: Object.fromEntries(
    Array.from({ length: 24 }, (_, index) => [
      `key-${String(index).padStart(2, '0')}`,
      `some value of the thing ${index}`,
    ]),
  ),
};

const kind = (group: string, name: string): Struct => {
  const struct = types.kind({ group, version: 'v1', kind: name });
  if (struct === undefined) throw new Error(`No kind ${name}`);
  return struct;
};

bench('Pod', kind('', 'Pod'), pod);
bench('Deployment', kind('apps', 'Deployment'), deployment);
bench('ConfigMap', kind('', 'ConfigMap'), configMap);
