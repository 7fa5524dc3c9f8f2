// Exports what each function of `keelson` returns, with inferred types. A declaration file of it names nothing but what the package publishes.
import {
  admission,
  alreadyExists,
  api,
  app,
  authorizationWebhook,
  clusterKind,
  ConfigMap,
  conflict,
  connect,
  controlledBy,
  controller,
  conversionHandler,
  conversionOf,
  Deployment,
  expired,
  extender,
  extensionServer,
  frontProxy,
  hasReason,
  imagePolicy,
  index,
  inParallel,
  jsonPatch,
  keyOf,
  kmsPlugin,
  kubectlPlugin,
  type KubernetesObject,
  memoryStorage,
  mergePatch,
  namespacedKind,
  notFound,
  Pod,
  rbacOf,
  type ReconcileContext,
  resource,
  run,
  splitKey,
  strategicPatch,
  tokenWebhook,
  watch,
  webhookServer,
} from 'keelson';
import { z } from 'zod';

export const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: z.object({ size: z.int().min(1) }),
  status: z.object({ isReady: z.boolean() }),
});
export const Room = resource('rooms.example.dev/v1', 'Room', {
  scope: 'Cluster',
  spec: { type: 'object', properties: { seats: { type: 'integer' } } },
}).older('v1beta1', { spec: { type: 'object', properties: { isLarge: { type: 'boolean' } } } });
export const OldRoom = Room.at('v1beta1');
export const Foreign = namespacedKind<KubernetesObject>({
  apiVersion: 'example.dev/v1',
  kind: 'Foreign',
  plural: 'foreigns',
});
export const Global = clusterKind<KubernetesObject>({ apiVersion: 'example.dev/v1', kind: 'Global', plural: 'globals' });

export const watched = watch(ConfigMap, { to: ({ metadata }) => [metadata.name] });
export const controlled = controlledBy(Deployment);
export const byName = index(Pod, ({ metadata }) => [metadata.name]);
export const pods = controller(Pod, { reconcile: () => undefined });
export const caches = controller(Cache, {
  owns: [Deployment],
  watches: [watched],
  reconcile: async ({ metadata: { name }, spec }, { desire, conditions }) => {
    await desire(Deployment, {
      metadata: { name },
      spec: { replicas: spec.size, selector: {}, template: { spec: { containers: [] } } },
    });
    return { isReady: conditions({ type: 'Ready', status: true }).length > 0 };
  },
});
export const conditionsIn = (context: ReconcileContext) => context.conditions({ type: 'Ready', status: true });

export const admitted = admission(Pod, { name: 'pods.example.dev', failurePolicy: 'Fail' });
export const storage = memoryStorage(Cache);
export const group = api('cache.example.dev/v1', { caches: storage });
export const server = extensionServer({ port: 0, admission: [admitted], apis: [group] });
export const program = app('program', [pods, caches], { resources: [Cache, Room], server });
export const roles = rbacOf(program);
export const running = () => run(program);

export const tokens = tokenWebhook(() => undefined);
export const access = authorizationWebhook(() => ({ verdict: 'allow', reason: 'public' }));
export const conversions = conversionHandler((object) => object);
export const rooms = conversionOf(Room);
export const images = imagePolicy({ review: () => ({ allowed: true }) });
export const webhooks = webhookServer({ port: 0, handlers: { '/tokens': tokens } });
export const portal = frontProxy({ target: () => Promise.reject(new Error('no target')), identify: () => undefined });
export const placing = extender('placing', { score: () => 1 });
export const kms = kmsPlugin({ socket: 'kms.sock', keyId: '1', encrypt: (text) => text, decrypt: (text) => text });
export const plugin = kubectlPlugin('plugin', { summary: 'Does nothing', run: () => undefined });
export const flagged = kubectlPlugin('flagged', {
  summary: 'Does nothing',
  flags: { most: { value: 'N', help: 'How many' } },
  run: () => undefined,
});

export const patches = [mergePatch({}), jsonPatch([]), strategicPatch({})];
export const client = () => connect();
export const keys = splitKey(keyOf({ metadata: { name: 'a' } }));
export const isGone = (error: unknown) => hasReason(error, 'NotFound');
export const errors = () => [alreadyExists, conflict, expired, notFound] as const;
export const all = () => inParallel([1], async () => undefined, { limit: 1 });
