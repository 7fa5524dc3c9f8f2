// node scripts/run.mjs bench/apply.ts: what ownership of fields costs, and an apply against a plain update.
import { encodeJson } from '../src/api/index.ts';
import { inProcessCall, StoredObject } from '../src/apiserver/index.ts';
import type { Answer } from '../src/apiserver/index.ts';
import { TestServer } from '../test/vectors/apply/test-server.ts';

const ROUNDS = 9;
const CERTIFICATE = { commonName: 'admin', organizations: ['system:masters'] };

/** Answers all calls in this process, on the memory store. */
class Bench {
  readonly #server = new TestServer();

  async send(method: string, path: string, { body = '', type = 'application/json' } = {}): Promise<Answer> {
    const headers = { 'content-type': type, 'user-agent': 'bench/1.0' };
    const call = inProcessCall({ method, path, headers, body, certificate: CERTIFICATE, clock: this.#server.clock });
    const answer = await this.#server.server.answer(call);
    if (answer.type === 'status') throw new Error(`${method} ${path}: ${answer.status.message ?? ''}`);
    this.#server.server.encode(answer, call);
    return answer;
  }

  /** Ownership as it is, or none at all, to see what it costs. */
  set hasOwnership(on: boolean) {
    const services = this.#server.server.services as { ownership: unknown };
    this.#ownership ??= services.ownership;
    services.ownership = on ? this.#ownership : { afterWrite: () => undefined };
  }

  #ownership: unknown;
}

function configMap(index: number): string {
  const data = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`key-${at}`, 'x'.repeat(70)]));
  return encodeJson({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `c${index}`, labels: { app: 'bench' } },
    data,
  });
}

/** A Deployment of about 10 KB. */
function deployment(name: string, replicas: number): Record<string, unknown> {
  const containers = Array.from({ length: 6 }, (_, at) => ({
    name: `container-${at}`,
    image: `registry.example/image-${at}:1.2.3`,
    command: ['/bin/run', '--verbose', '--config=/etc/config/settings.yaml'],
    env: Array.from({ length: 12 }, (_2, variable) => ({
      name: `VARIABLE_${variable}`,
      value: `value-${variable}-${'v'.repeat(20)}`,
    })),
    ports: [
      { containerPort: 8080, name: `http-${at}` },
      { containerPort: 9090, protocol: 'UDP' },
    ],
    resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/config' },
      { name: 'data', mountPath: '/data' },
    ],
    livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 },
  }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'default',
      labels: { app: 'web', tier: 'front' },
      annotations: { note: 'n'.repeat(500) },
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers,
          volumes: [
            { name: 'config', configMap: { name: 'settings' } },
            { name: 'data', emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** The median over rounds of microseconds of CPU per call, the variants one after the other in each round. */
async function compare(
  variants: Readonly<Record<string, (index: number) => Promise<void>>>,
  count: number,
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {};
  let index = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, run] of Object.entries(variants)) {
      const start = process.cpuUsage(); // not the clock: others may be running too
      for (let at = 0; at < count; at++) await run(index++);
      const { user, system } = process.cpuUsage(start);
      const micros = (user + system) / count;
      if (round > 0) (times[name] ??= []).push(micros); // the first round warms up
    }
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, all.sort((a, b) => a - b)[all.length >> 1] ?? 0]),
  );
}

const bench = new Bench();
const configMaps = '/api/v1/namespaces/default/configmaps';
const creates = await compare(
  {
    'create without ownership': async (index) => {
      bench.hasOwnership = false;
      await bench.send('POST', configMaps, { body: configMap(index) });
    },
    'create with ownership': async (index) => {
      bench.hasOwnership = true;
      await bench.send('POST', configMaps, { body: configMap(index) });
    },
  },
  2000,
);
bench.hasOwnership = true;
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const APPLY = { type: 'application/apply-patch+yaml' };
const before = await written('updated');
const { spec } = before as { readonly spec: object };
await bench.send('PUT', `${deployments}/updated?fieldManager=bench`, {
  body: encodeJson({ ...before, spec: { ...spec, replicas: 9 } }),
});
const live = await current('updated'); // with the owners that it has from now on, as a client would have read them
const bodies = [2, 3].map((replicas) => encodeJson({ ...live, spec: { ...spec, replicas } }));
await written('applied');
const configs = [2, 3].map((replicas) => encodeJson(deployment('applied', replicas)));
const writes = await compare(
  {
    'update, one field changed': async (index) => {
      await bench.send('PUT', `${deployments}/updated?fieldManager=bench`, { body: bodies[index % 2] });
    },
    'apply, one field changed': async (index) => {
      await bench.send('PATCH', `${deployments}/applied?fieldManager=bench`, { body: configs[index % 2], ...APPLY });
    },
  },
  400,
);

/** An object that has been applied, and patched by another client. */
async function written(name: string): Promise<Record<string, unknown>> {
  const path = `${deployments}/${name}`;
  await bench.send('PATCH', `${path}?fieldManager=bench`, { body: encodeJson(deployment(name, 1)), ...APPLY });
  const note = encodeJson({ metadata: { annotations: { seen: 'yes' } } });
  await bench.send('PATCH', `${path}?fieldManager=other`, { body: note, type: 'application/merge-patch+json' });
  return current(name);
}

/** The object as it is now, without the version that an update would be bound to. */
async function current(name: string): Promise<Record<string, unknown>> {
  const stored = await bench.send('GET', `${deployments}/${name}`);
  if (stored.type !== 'object' || !(stored.object instanceof StoredObject)) throw new Error(`No Deployment "${name}"`);
  const { resourceVersion: _, ...metadata } = stored.object.object.metadata;
  return { ...stored.object.object, metadata };
}
const size = Buffer.byteLength(encodeJson(live));
console.log(
  `ConfigMap of ${Buffer.byteLength(configMap(1))} bytes, Deployment of ${size} bytes (configuration ${Buffer.byteLength(configs[0] ?? '')})`,
);
for (const [name, micros] of Object.entries({ ...creates, ...writes })) console.log(`${name}: ${micros.toFixed(1)} µs`);
const [without = 0, withOwners = 0] = Object.values(creates);
const [update = 1, apply = 0] = Object.values(writes);
console.log(`ownership adds ${(withOwners - without).toFixed(1)} µs to a create (aim: at most 15)`);
console.log(`an apply costs ${(apply / update).toFixed(2)} updates (aim: at most 1.5)`);
