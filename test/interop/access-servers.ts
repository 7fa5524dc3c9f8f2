import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portal } from '../../examples/front-proxy/front-proxy.ts';
import { yearlyKeys } from '../../examples/kms-plugin/kms-plugin.ts';
import { startKeelson, startKube, whyNoKube } from '../../peers/index.ts';
import { type Client, connect, findConnection } from '../../src/client/index.ts';
import type { FrontProxy } from '../../src/kit/index.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import type { ServerName } from './results.ts';
import { expectSame, type Trial } from './trial.ts';

const STEP_LIMIT_MS = 30_000;

/** The examples of a proxy that vouches for users, and of a plugin that keeps keys, beside an API server. */
export const accessServersTrial: Trial = {
  subject: "the kit's front proxy and key management plugin",
  version: 'this tree',
  whyNot: (server) => (server === 'kube' ? whyNoKube() : undefined),
  try: tryServers,
};

async function tryServers(
  server: ServerName,
  { bundle }: { readonly bundle: string | undefined },
): Promise<ClientReport> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-access-servers-'));
  const stop = new AbortController();
  const target = { server: '', certificateAuthority: '' };
  const proxy = portal(() => target);
  const plugin = yearlyKeys(join(folder, 'kms.sock'));
  const running = Promise.all([proxy.run(stop.signal), plugin.run(stop.signal)]);
  try {
    await plugin.listening();
    const [authority, encryption] = [join(folder, 'proxy-ca.crt'), join(folder, 'encryption.json')];
    await writeFile(authority, proxy.clientAuthority);
    await writeFile(encryption, JSON.stringify(plugin.configuration()), { mode: 0o600 });
    const flags = [`--requestheader-client-ca-file=${authority}`, `--encryption-provider-config=${encryption}`];
    await using asked = await (server === 'kube'
      ? startKube({ apiserverFlags: flags })
      : startKeelson({ bundle, flags: [...flags, '--nodes=0'] }));
    const { certificateAuthority } = await findConnection({ kubeconfig: asked.kubeconfig });
    if (certificateAuthority === undefined || !('pem' in certificateAuthority))
      throw new Error('no authority is named');
    Object.assign(target, { server: asked.url, certificateAuthority: certificateAuthority.pem });
    await using client = await connect({ kubeconfig: asked.kubeconfig, userAgent: 'interop' });
    return { version: 'this tree', outcomes: await runSteps(steps(client, proxy), STEP_LIMIT_MS) };
  } finally {
    stop.abort();
    await running;
    await rm(folder, { recursive: true, force: true });
  }
}

function steps(client: Client, proxy: FrontProxy) {
  return {
    'a user of the proxy': async () =>
      expectSame(await whoami(proxy, { cookie: 'session=s-1' }), {
        username: 'ada',
        groups: ['engineers', 'system:authenticated'],
        extra: { 'acme.io/portal': ['north'] },
      }),
    'forged headers': async () =>
      expectSame(await whoami(proxy, { cookie: 'session=s-2', 'x-remote-user': 'root' }), {
        username: 'bob',
        groups: ['visitors', 'system:authenticated'],
      }),
    'an unknown session': async () => expectSame(await whoami(proxy, { cookie: 'session=s-9' }), 401),
    'a secret through the plugin': async () => {
      const secrets = client.core.v1.secrets.namespace('default');
      await secrets.create({ metadata: { name: 'hush' }, stringData: { password: 'open sesame' } });
      const { data } = await secrets.get('hush');
      expectSame(data, { password: Buffer.from('open sesame').toString('base64') });
    },
  };
}

/** Whom the API server takes a client of the proxy for, or the code with which it is refused. */
async function whoami(proxy: FrontProxy, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const { port } = await proxy.listening();
  return new Promise((resolve, reject) => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const options = { host: 'localhost', port, path, method: 'POST', ca: proxy.authority, agent: false as const };
    const sent = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += String(chunk)));
      answer.on('end', () => resolve(answer.statusCode === 201 ? JSON.parse(text).status.userInfo : answer.statusCode));
    });
    sent.on('error', reject);
    sent.end('{}');
  });
}
