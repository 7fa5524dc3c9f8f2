import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { teamServer } from '../../examples/authorization-webhook/authorization-webhook.ts';
import { badgeServer } from '../../examples/token-webhook/token-webhook.ts';
import { type RunningServer, startKeelson, startKube, whyNoKube } from '../../peers/index.ts';
import { type Client, connect } from '../../src/client/index.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import type { ServerName } from './results.ts';
import { expectSame, type Trial } from './trial.ts';

const STEP_LIMIT_MS = 30_000;

/** The example webhooks for authentication and authorization, called by an API server. */
export const accessWebhooksTrial: Trial = {
  subject: "the kit's token and authorization webhooks",
  version: 'this tree',
  whyNot: (server) => (server === 'kube' ? whyNoKube() : undefined),
  try: tryWebhooks,
};

async function tryWebhooks(
  server: ServerName,
  { bundle }: { readonly bundle: string | undefined },
): Promise<ClientReport> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-access-webhooks-'));
  const stop = new AbortController();
  const [badges, teams] = [badgeServer(), teamServer()];
  const running = Promise.all([badges, teams].map((webhook) => webhook.run(stop.signal)));
  try {
    const [tokens, rights] = [join(folder, 'tokens.yaml'), join(folder, 'rights.yaml')];
    await writeFile(tokens, await badges.kubeconfig('/authenticate'), { mode: 0o600 });
    await writeFile(rights, await teams.kubeconfig('/authorize'), { mode: 0o600 });
    const flags = [
      `--authentication-token-webhook-config-file=${tokens}`,
      '--authentication-token-webhook-version=v1',
      `--authorization-webhook-config-file=${rights}`,
      '--authorization-webhook-version=v1',
    ];
    await using asked = await start(server, { bundle, flags });
    await using client = await connect({ kubeconfig: asked.kubeconfig, userAgent: 'interop' });
    return { version: 'this tree', outcomes: await runSteps(steps(client), STEP_LIMIT_MS) };
  } finally {
    stop.abort();
    await running;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The real server has modes already, which the flag adds to. */
function start(
  server: ServerName,
  { bundle, flags }: { readonly bundle: string | undefined; readonly flags: readonly string[] },
): Promise<RunningServer> {
  return server === 'kube'
    ? startKube({ apiserverFlags: [...flags, '--authorization-mode=Webhook'] })
    : startKeelson({ bundle, flags: [...flags, '--authorization-mode=Node,RBAC,Webhook', '--nodes=0'] });
}

function steps(client: Client) {
  const review = async (group: string, verb: string, resource: string) => {
    const resourceAttributes = { namespace: 'shop', verb, resource, version: 'v1' };
    const { status } = await client.authorization.v1.subjectaccessreviews.create({
      spec: { user: 'somebody', groups: [group], resourceAttributes },
    });
    return status;
  };
  return {
    'a token': async () => {
      const { status } = await client.authentication.v1.tokenreviews.create({ spec: { token: 'badge-7' } });
      expectSame(status?.user, { username: 'ada', uid: '7', groups: ['engineers', 'system:authenticated'] });
    },
    'an unknown token': async () => {
      const { status } = await client.authentication.v1.tokenreviews.create({ spec: { token: 'badge-9' } });
      expectSame(status?.authenticated ?? false, false);
    },
    allowed: async () => expectSame(await review('team-shop', 'create', 'pods'), { allowed: true }),
    denied: async () =>
      expectSame(await review('team-search', 'list', 'secrets'), {
        allowed: false,
        denied: true,
        reason: "they are team-shop's",
      }),
    'no opinion': async () => expectSame((await review('team-search', 'list', 'pods'))?.allowed, false),
  };
}
