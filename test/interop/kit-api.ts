import { Fischer, Flunder, wardleApp } from '../../examples/wardle/wardle.ts';
import { startKeelson, startKube, whyNoKube } from '../../peers/index.ts';
import { APIService, type Client, ConfigMap, connect, mergePatch, Namespace } from '../../src/client/index.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import type { ServerName } from './results.ts';
import { eventually, type Trial } from './trial.ts';

const STEP_LIMIT_MS = 90_000;
const NAME = 'v1alpha1.wardle.example.dev';

/** The example of an API server made with the kit, behind an API server that passes requests on to it. */
export const kitApiTrial: Trial = {
  subject: "the kit's API server behind it",
  version: 'this tree',
  whyNot: (server) => (server === 'kube' ? whyNoKube(['kube-controller-manager']) : undefined),
  try: tryKitApi,
};

async function tryKitApi(
  server: ServerName,
  { bundle }: { readonly bundle: string | undefined },
): Promise<ClientReport> {
  await using asked =
    server === 'kube'
      ? await startKube({ parts: ['kube-controller-manager'] })
      : await startKeelson({ bundle, flags: ['--nodes=0'] });
  await using client = await connect({ kubeconfig: asked.kubeconfig, userAgent: 'interop' });
  const stop = new AbortController();
  const running = wardleApp().run(client, stop.signal);
  try {
    return { version: 'this tree', outcomes: await runSteps(steps(client), STEP_LIMIT_MS) };
  } finally {
    stop.abort();
    await running;
  }
}

function steps(client: Client) {
  const flunders = client.kind(Flunder).namespace('default');
  const gone = async (namespace: string, name: string): Promise<void> => {
    const { items } = await client.kind(Flunder).namespace(namespace).list();
    if (items.some(({ metadata }) => metadata.name === name)) throw new Error(`flunder ${name} is still there`);
  };
  return {
    'registered and available': (signal: AbortSignal) =>
      eventually(signal, async () => {
        const { status } = await client.kind(APIService).get(NAME);
        const [condition] = status?.conditions ?? [];
        if (condition?.status !== 'True') throw new Error(condition?.message ?? 'no condition');
      }),
    'create, patch, apply and delete': async () => {
      await client.kind(Fischer).create({ metadata: { name: 'fritz' } });
      await flunders.create({ metadata: { name: 'one' }, spec: { reference: 'fritz', referenceType: 'Fischer' } });
      await flunders.patch('one', mergePatch({ metadata: { labels: { a: 'b' } } }));
      await flunders.apply({ metadata: { name: 'two' } }, { fieldManager: 'interop' });
      const selected = await flunders.list({ labelSelector: 'a=b', fieldSelector: 'spec.reference=fritz' });
      if (selected.items.length !== 1) throw new Error(`${selected.items.length} flunders are selected`);
      await flunders.delete('two');
    },
    watch: async (signal: AbortSignal) => {
      for await (const event of client.kind(Flunder).watch({ signal })) {
        if (event.type === 'BOOKMARK') continue;
        if (event.type === 'ADDED') await flunders.delete(event.object.metadata.name);
        if (event.type === 'DELETED') return;
      }
    },
    'deleted with their owner': async (signal: AbortSignal) => {
      const owner = await client
        .kind(ConfigMap)
        .namespace('default')
        .create({ metadata: { name: 'owner' } });
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid };
      await flunders.create({ metadata: { name: 'owned', ownerReferences: [reference] } });
      await client.kind(ConfigMap).namespace('default').delete('owner');
      await eventually(signal, () => gone('default', 'owned'));
    },
    'deleted with their namespace': async (signal: AbortSignal) => {
      await client.kind(Namespace).create({ metadata: { name: 'short' } });
      await client
        .kind(Flunder)
        .namespace('short')
        .create({ metadata: { name: 'three' } });
      await client.kind(Namespace).delete('short');
      await eventually(signal, () => gone('short', 'three'));
    },
  };
}
