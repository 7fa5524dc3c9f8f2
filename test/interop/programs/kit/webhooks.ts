// Webhooks written with the kit: ConfigMaps labelled "checked=kit" are changed and checked. Prints a report as its last line.
import { ConfigMap, connect, hasReason, type Warning } from '../../../../src/client/index.ts';
import { admission, extensionServer, app } from '../../../../src/kit/index.ts';
import { runSteps } from '../../outcome.ts';

const STEP_LIMIT_MS = 30_000;
const NAMESPACE = 'interop-kit-webhooks';
const labels = { checked: 'kit' };

const checks = admission(ConfigMap, {
  name: 'checks.interop.keelson.dev',
  failurePolicy: 'Fail',
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  objectSelector: { matchLabels: labels },
  mutate(configMap, { user }) {
    const annotations = { ...configMap.metadata.annotations, 'interop/by': user.name };
    return { ...configMap, metadata: { ...configMap.metadata, annotations }, data: configMap.data ?? { size: '1' } };
  },
  validate(configMap, { operation, old, warn }) {
    const size = configMap.data?.['size'];
    if (size === 'huge') return 'huge is too large';
    if (size === 'large') warn('large is rather large');
    if (operation === 'UPDATE' && old?.data?.['size'] !== size) return 'size may not change';
    if (operation === 'DELETE' && configMap.metadata.labels?.['kept'] === 'yes') return 'it is to be kept';
  },
});

const warnings: string[] = [];
await using client = await connect({
  userAgent: 'interop',
  onWarning: ({ text }: Warning) => void warnings.push(text),
});
const maps = client.core.v1.configmaps.namespace(NAMESPACE);
const configMap = (name: string, size?: string) => ({
  metadata: { name, labels },
  ...(size === undefined ? {} : { data: { size } }),
});
const stop = new AbortController();
const server = extensionServer({ admission: [checks] });
let running: Promise<void> = Promise.resolve();

async function expectRefusal(attempt: Promise<unknown>, message: string): Promise<void> {
  const error: unknown = await attempt.then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  if (hasReason(error, 'Forbidden') && String(error).includes(message)) return;
  throw new Error(`It was not refused with "${message}", but: ${String(error)}`);
}

function expectThat(isSo: boolean, actual: unknown): void {
  if (!isSo) throw new Error(`It is not so: ${JSON.stringify(actual)}`);
}

const outcomes = await runSteps(
  {
    async start() {
      await client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
      running = app('interop-kit-webhooks', [], { server }).run(client, stop.signal);
      await server.listening();
    },
    async mutate(signal) {
      for (let attempt = 1; !signal.aborted; attempt++) {
        const { data, metadata } = await maps.create(configMap(`filled-${attempt}`)); // a real server takes up to a second
        if (data?.['size'] === '1' && metadata.annotations?.['interop/by'] !== undefined) return;
        await client.clock.sleep(100, signal);
      }
      throw new Error('ConfigMaps are not filled in');
    },
    'refuse a create': () => expectRefusal(maps.create(configMap('huge', 'huge')), 'huge is too large'),
    async warn() {
      await maps.create({
        ...configMap('large', 'large'),
        metadata: { name: 'large', labels: { ...labels, kept: 'yes' } },
      });
      expectThat(warnings.includes('large is rather large'), warnings);
    },
    'refuse an update': async () => {
      const large = await maps.get('large');
      await expectRefusal(maps.update({ ...large, data: { size: 'small' } }), 'size may not change');
    },
    'refuse a delete': () => expectRefusal(maps.delete('large'), 'it is to be kept'),
    async 'dry run'() {
      const { data } = await maps.create(configMap('dry'), { dryRun: true });
      expectThat(data?.['size'] === '1', data);
      const found = await maps.get('dry').catch((error: unknown) => error);
      expectThat(hasReason(found, 'NotFound'), String(found));
    },
    async 'leave others alone'() {
      await maps.create({ metadata: { name: 'other' }, data: { size: 'huge' } });
    },
    async end() {
      stop.abort();
      await running;
    },
  },
  STEP_LIMIT_MS,
);
const configurations = client.admissionregistration.v1;
await configurations.mutatingwebhookconfigurations.delete(checks.name);
await configurations.validatingwebhookconfigurations.delete(checks.name);
await client.core.v1.namespaces.delete(NAMESPACE);
console.log(JSON.stringify({ version: 'this tree', outcomes }));
