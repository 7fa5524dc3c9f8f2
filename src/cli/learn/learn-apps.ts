import { ConfigMap } from '../../client/index.ts';
import {
  admission,
  api,
  type App,
  app,
  controller,
  extender,
  extensionServer,
  memoryStorage,
  resource,
} from '../../kit/index.ts';

const GROUP = 'learn.keelson.dev';
const TEXT = { type: 'string' } as const;

/** Of the walk about operators: each becomes a ConfigMap. */
const Greeting = resource(`${GROUP}/v1`, 'Greeting', {
  spec: { type: 'object', properties: { name: TEXT }, required: ['name'] },
});

const greetings = controller(Greeting, {
  name: 'greetings',
  owns: [ConfigMap],
  async reconcile({ metadata: { name, namespace }, spec }, { desire }) {
    await desire(ConfigMap, { metadata: { name, namespace }, data: { greeting: `Hello, ${spec.name}!` } });
  },
});

/** Of the walk about conversion: version v1beta1 says `replicas` where v1 says `size`. */
const Cache = resource(`cache.${GROUP}/v1`, 'Cache', {
  spec: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
}).older(
  'v1beta1',
  { spec: { type: 'object', properties: { replicas: { type: 'integer' } }, required: ['replicas'] } },
  {
    up: ({ spec }) => ({ spec: { size: spec.replicas } }),
    down: ({ spec }) => ({ spec: { replicas: spec.size } }),
  },
);

/** Of the walk about aggregation: its objects are in this process's memory, not in the cluster's store. */
const Toy = resource(`shop.${GROUP}/v1`, 'Toy', {
  spec: { type: 'object', properties: { color: TEXT } },
});

/** Of the walk about webhooks. */
const sizes = admission(ConfigMap, {
  name: `sizes.${GROUP}`,
  failurePolicy: 'Ignore',
  validate: ({ data }) => (data?.['size'] === 'huge' ? 'huge is too large; choose small or medium' : undefined),
});

/** Of the walk about extenders: pods with the label `desk` only fit nodes with the same label. */
export const desks = extender('desks', {
  filter(pod, node) {
    const desk = pod.labels['desk'];
    if (desk === undefined || node.labels['desk'] === desk) return undefined;
    return `no desk at the ${desk}`;
  },
});

/** The programs that the walks meet. */
export function learnApps(): readonly App[] {
  return [
    app('greetings', [greetings], { resources: [Greeting] }),
    app('caches', [], { resources: [Cache], server: extensionServer() }),
    app('toys', [], { server: extensionServer({ apis: [api(`shop.${GROUP}/v1`, { toys: memoryStorage(Toy) })] }) }),
    app('sizes', [], { server: extensionServer({ admission: [sizes] }) }),
    app('desks', [desks]),
  ];
}
