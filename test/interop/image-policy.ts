import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestsOnly } from '../../examples/image-policy/image-policy.ts';
import { type RunningServer, startKeelson, startKube } from '../../peers/index.ts';
import { type Client, connect } from '../../src/client/index.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import type { ServerName } from './results.ts';

/** The subject of its line in the page. */
export const IMAGE_POLICY = "Keelson's image policy webhook";

const STEP_LIMIT_MS = 30_000;
const DIGEST = `nginx@sha256:${'0'.repeat(64)}`;

/** The example of an image policy behind an API server that is given it by flags. */
export async function tryImagePolicy(serverName: ServerName, bundle: string | undefined): Promise<ClientReport> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-images-'));
  const stop = new AbortController();
  const webhook = digestsOnly();
  const running = webhook.run(stop.signal);
  try {
    const flags = await flagsFor(await webhook.kubeconfig('/images'), folder);
    await using server: RunningServer =
      serverName === 'kube'
        ? await startKube({ apiserverFlags: flags })
        : await startKeelson({ bundle, flags: [...flags, '--nodes=0'] });
    await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
    return { version: 'this tree', outcomes: await runSteps(stepsOn(client), STEP_LIMIT_MS) };
  } finally {
    stop.abort();
    await running;
    await rm(folder, { recursive: true, force: true });
  }
}

async function flagsFor(kubeconfig: string, folder: string): Promise<string[]> {
  const kubeConfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeConfigFile, kubeconfig);
  const plugins = [{ name: 'ImagePolicyWebhook', configuration: { imagePolicy: { kubeConfigFile } } }];
  const file = join(folder, 'admission.json');
  const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins };
  await writeFile(file, JSON.stringify(configuration));
  return [
    '--enable-admission-plugins=ImagePolicyWebhook',
    '--disable-admission-plugins=ServiceAccount', // there are no controllers that would make one
    `--admission-control-config-file=${file}`,
  ];
}

function stepsOn(client: Client): Parameters<typeof runSteps>[0] {
  const pods = client.core.v1.pods.namespace('default');
  const pod = (name: string, image: string, annotations = {}): Promise<unknown> =>
    pods.create({ metadata: { name, annotations }, spec: { containers: [{ name: 'c', image }] } });
  return {
    async allow() {
      await pod('pinned', DIGEST);
    },
    async deny() {
      const refusal = await pod('loose', 'nginx').then(() => 'it was created', String);
      if (!refusal.includes('denied one or more images: nginx is not named by its digest')) throw new Error(refusal);
    },
    async annotation() {
      await pod('urgent', 'nginx', { 'acme.image-policy.k8s.io/break-glass': 'TICKET-7' });
    },
  };
}
