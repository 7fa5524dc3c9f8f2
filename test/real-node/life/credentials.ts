import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRegistry } from '../image-registry.ts';
import { suiteImages } from '../images/suite-images.ts';
import { NODE_ADDRESS } from '../node-layout.ts';
import { NAMESPACE, type NodeLife, type Trial, waitingOf } from './node-life.ts';

const LOGIN = { username: 'node', password: 'let-me-pull' };
const PROVIDER = 'life-provider';
const SLEEP = 'sleep 100000';
/** The provider answers for images in this folder of the registry. */
const PROVIDED = 'e2e-test-images/busybox:1.37.0-1';
/** The image that only a secret pulls. */
const SECRET = 'pause:3.10.2';

/** Where the flags of the agent point: written before it starts. */
export function providerFlags(folder: string): readonly string[] {
  return [
    `--image-credential-provider-config=${join(folder, 'providers.json')}`,
    `--image-credential-provider-bin-dir=${join(folder, 'providers')}`,
  ];
}

/** A program that answers for the registry on the node's address, whatever its port, and notes each call. */
export async function writeProvider(folder: string): Promise<void> {
  const programs = join(folder, 'providers');
  await mkdir(programs, { recursive: true });
  const answer = {
    kind: 'CredentialProviderResponse',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    cacheKeyType: 'Registry',
    cacheDuration: '10m',
    auth: { [NODE_ADDRESS]: LOGIN, [`${NODE_ADDRESS}:*`]: LOGIN },
  };
  const script = `#!/bin/sh
read -r request
echo "$request" >> ${join(folder, 'provider-calls')}
place=$(echo "$request" | sed 's/.*"image":"\\([^"/]*\\)\\/.*/\\1/')
echo '${JSON.stringify(answer)}' | sed "s/${NODE_ADDRESS}:\\*/$place/"
`;
  await writeFile(join(programs, PROVIDER), script);
  await chmod(join(programs, PROVIDER), 0o755);
  await writeFile(
    join(folder, 'providers.json'),
    JSON.stringify({
      kind: 'CredentialProviderConfig',
      apiVersion: 'kubelet.config.k8s.io/v1',
      providers: [
        {
          name: PROVIDER,
          apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
          matchImages: PORTS.map((port) => `${NODE_ADDRESS}:${port}/e2e-test-images`),
          defaultCacheDuration: '1m',
        },
      ],
    }),
  );
}

/** Where the registry with a login listens. */
const PORTS = [5443];

export const credentials: Trial = {
  name: 'credentials',
  settings: () => ({}),
  async run(life) {
    const [port = 0] = PORTS;
    const host = `${NODE_ADDRESS}:${port}`;
    const { layout } = suiteImages();
    await using registry = await startRegistry(layout, 'registry.k8s.io', {
      address: NODE_ADDRESS,
      login: LOGIN,
      port,
    });
    const hosts = join(life.cluster.node.folder, 'registries', host);
    await mkdir(hosts, { recursive: true });
    const capabilities = 'capabilities = ["pull", "resolve"]';
    await writeFile(
      join(hosts, 'hosts.toml'),
      `server = "${registry.url}"\n[host."${registry.url}"]\n  ${capabilities}\n`,
    );

    await life.pod('provided', SLEEP, { image: `${host}/${PROVIDED}`, spec: {} });
    await life.untilRunning('provided');
    const plugin = await life.metric('kubelet_credential_provider_plugin_duration_count', PROVIDER);
    if (plugin < 1) throw new Error('the credential provider was not called');

    const image = `${host}/${SECRET}`;
    await paused(life, 'refused', { image });
    await life.until('a pull that is refused', async () => {
      const waiting = waitingOf((await life.get('refused')).status).join();
      return /^(ErrImagePull|ImagePullBackOff): .*(?:401 Unauthorized|no basic auth credentials)/s.test(waiting)
        ? undefined
        : `it waits for "${waiting}"`;
    });
    await life.until('a back-off', async () => {
      const waiting = waitingOf((await life.get('refused')).status).join();
      return waiting.startsWith('ImagePullBackOff: Back-off pulling image') ? undefined : `it waits for "${waiting}"`;
    });

    await createSecret(life, host);
    await paused(life, 'secret', { image, secret: 'login' });
    await life.untilRunning('secret');
    // the image is on the machine now, but was pulled with a secret that this pod does not have
    await paused(life, 'other', { image });
    await life.until('a pod without the secret that may not use the image', async () => {
      const { status } = await life.get('other');
      const waiting = waitingOf(status).join();
      return /^(ErrImagePull|ImagePullBackOff): /.test(waiting) ? undefined : `it is ${status?.phase}, "${waiting}"`;
    });
    await paused(life, 'again', { image, secret: 'login' });
    await life.untilRunning('again');
  },
};

async function createSecret({ client }: NodeLife, host: string): Promise<void> {
  const auth = Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64');
  const config = JSON.stringify({ auths: { [host]: { auth } } });
  await client.core.v1.secrets.namespace(NAMESPACE).create({
    metadata: { name: 'login' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
  });
}

/** A pod of an image without a shell. */
async function paused(
  life: NodeLife,
  name: string,
  { image, secret }: { readonly image: string; readonly secret?: string },
): Promise<void> {
  await life.pod(name, '', {
    spec: {
      containers: [{ name: 'main', image }],
      ...(secret === undefined ? {} : { imagePullSecrets: [{ name: secret }] }),
    },
  });
}
