import { parseRuntimeConfig } from '../../api/index.ts';
import { type Clock, CryptoRandom, keepAlive, LineLogger, messageOf, RealClock } from '../../base/index.ts';
import { type Client, CustomResourceDefinition, type KubernetesObject, Lease } from '../../client/index.ts';
import { applyManifests, type ApplyManifestsOptions, isGround, type Manifest } from '../../client/manifests/index.ts';
import { type Cluster, launchCluster, type LocalWebhook } from '../../cluster/index.ts';
import { type App, installKinds, type LocalWebhooks, type ProgramRunOptions } from '../../kit/index.ts';
import { PORTS } from './app-deployment.ts';
import type { AppObjects } from './app-objects.ts';
import { servingOf } from './app-serving.ts';
import { Refusals } from './refusals.ts';
import { hasRegistered, registrationsOf } from './registrations.ts';
import type { DeploymentSettings } from './settings.ts';

export interface TrialOptions {
  readonly settings: DeploymentSettings;
  /** Objects for the app to work on, so that it uses its rights. */
  readonly samples: readonly Manifest[];
  readonly signal: AbortSignal;
  /** Called with what happens next. */
  readonly progress: (text: string) => void;
}

const ADMIN = { user: 'kubernetes-admin', groups: ['system:masters'] };
const LOOK_EVERY_MS = 25;
/** An app that was idle in this many checks in a row has finished. */
const CALM_LOOKS = 8;
const PATIENCE_MS = 30_000;

/**
 * Deploys an app to a cluster in this process, with exactly its future objects and rights, and runs it there. Throws
 * when the server rejects one of the objects or forbids a request of the app. Returns the registrations that the app
 * writes.
 */
export async function tryDeployment(
  app: App,
  objects: Omit<AppObjects, 'registrations'>,
  { settings, samples, signal, progress }: TrialOptions,
): Promise<readonly KubernetesObject[]> {
  using _alive = keepAlive(); // without a port nothing else keeps the process alive
  progress('starting a cluster for the trial');
  const clock = new RealClock();
  const stop = new AbortController();
  const scope = AbortSignal.any([signal, stop.signal]);
  const webhooks = new TrialWebhooks();
  await using cluster = await trialCluster({ clock, signal: scope, webhooks });
  await using admin = cluster.plane.client(ADMIN);
  await applyAll(admin, objects.namespace, scope);
  const how: ApplyManifestsOptions = {
    client: admin,
    fieldManager: 'trial',
    settle: () => served(admin, clock),
    signal: scope,
  };
  await applyManifests(samples.filter(isGround), how);
  await installKinds(admin, app.resources, { fieldManager: 'trial', conversion: nowhere, signal: scope });
  await applyAll(admin, [...objects.definitions, ...objects.access, ...objects.deployment], scope);
  progress(`running ${app.name} as system:serviceaccount:${settings.namespace}:${settings.name}`);
  const refusals = new Refusals();
  await using client = clientOf(cluster, settings, refusals);
  await app.load();
  const runs: ProgramRunOptions = { ...runOptions(app, settings), localWebhooks: webhooks };
  const running = app.run(client, scope, runs);
  let failure: unknown;
  running.catch((error: unknown) => void (failure = error));
  try {
    const isOver = (): boolean => failure !== undefined || refusals.list.length > 0;
    await calm({ app, admin, settings, clock, isOver });
    if (samples.length > 0)
      progress(`letting it work on ${samples.length} ${samples.length === 1 ? 'object' : 'objects'}`);
    await applyManifests(
      samples.filter((sample) => !isGround(sample)),
      how,
    );
    if (samples.length > 0) await calm({ app, admin, settings, clock, isOver });
    if (refusals.list.length > 0)
      throw new Error(`Cannot run "${app.name}" with its roles: ${refusals.list.join('; ')}`);
    if (failure !== undefined) throw new Error(`Cannot run "${app.name}"`, { cause: failure });
    return await registrationsOf(admin, app.name);
  } finally {
    stop.abort();
    await running.catch(() => undefined); // handled above
  }
}

/** Creates the objects in a cluster in this process. Throws when the server rejects one. */
export async function tryObjects(
  objects: AppObjects,
  { signal, progress }: Pick<TrialOptions, 'signal' | 'progress'>,
): Promise<void> {
  using _alive = keepAlive(); // without a port nothing else keeps the process alive
  progress('starting a cluster for the trial');
  await using cluster = await trialCluster({ clock: new RealClock(), signal, webhooks: new TrialWebhooks() });
  await using admin = cluster.plane.client(ADMIN);
  await applyAll(admin, [...objects.namespace, ...objects.access, ...objects.deployment], signal);
}

/** Resolves when the server serves every defined kind, or has refused it. */
async function served(admin: Client, clock: Clock): Promise<void> {
  const start = clock.monotonic();
  for (;;) {
    const { items } = await admin.kind(CustomResourceDefinition).list();
    const isDecided = items.every(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => is === (type === 'Established' ? 'True' : 'False')),
    );
    if (isDecided || clock.monotonic() - start > PATIENCE_MS) return;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

/** A placeholder for the conversion webhook, until the app writes its address. */
const nowhere = { url: 'https://localhost/convert' };

/** The app's webhooks, which the server of this process calls for any Service. */
class TrialWebhooks implements LocalWebhooks {
  #handler: LocalWebhook | undefined;

  serve(handler: LocalWebhook): Disposable & { readonly host: string } {
    this.#handler = handler;
    return { host: 'trial.invalid', [Symbol.dispose]: () => void (this.#handler = undefined) };
  }

  readonly find = (): LocalWebhook | undefined => this.#handler;
}

interface TrialParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly webhooks: TrialWebhooks;
}

function trialCluster({ clock, signal, webhooks }: TrialParts): Promise<Cluster> {
  return launchCluster({
    name: 'trial',
    storage: { type: 'memory' },
    runtimeConfig: parseRuntimeConfig(),
    serviceCidrs: ['10.96.0.0/16'],
    scheduler: false,
    nodes: 0,
    local: { webhooks: webhooks.find },
    clock,
    random: new CryptoRandom(),
    log: new LineLogger({ clock, level: 'error', write: () => undefined }),
    signal,
  });
}

function clientOf(cluster: Cluster, { name, namespace }: DeploymentSettings, refusals: Refusals): Client {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const user = `system:serviceaccount:${namespace}:${name}`;
  return cluster.plane.client({ user, groups }, { namespace, userAgent: name, wrapTransport: refusals.watch });
}

/** The options of the pod, without sockets. */
function runOptions(app: App, { name, namespace }: DeploymentSettings): ProgramRunOptions {
  const unreached = { serve: () => ({ host: 'trial.invalid', [Symbol.dispose]: () => undefined }) };
  return {
    leaderElection: true,
    install: servingOf(app).isConverting,
    service: { namespace, name, port: PORTS.server },
    localApis: unreached,
    opensPorts: false,
  };
}

async function applyAll(admin: Client, objects: readonly KubernetesObject[], signal: AbortSignal): Promise<void> {
  for (const object of objects) {
    const { apiVersion = '', kind = '', metadata } = object;
    const what = `${kind} "${metadata?.name ?? ''}"`;
    try {
      const served = await admin.apis.find(apiVersion, kind, { signal });
      if (served === undefined) throw new Error(`the server does not serve ${kind} of ${apiVersion}`);
      await admin.kindIn(served, metadata?.namespace).apply(object, { fieldManager: 'trial', force: true, signal });
    } catch (cause) {
      throw new Error(`Cannot deploy ${what}: ${messageOf(cause)}`, { cause });
    }
  }
}

interface Calm {
  readonly app: App;
  readonly admin: Client;
  readonly settings: DeploymentSettings;
  readonly clock: Clock;
  isOver(): boolean;
}

/** Resolves when the app leads, is ready, and has had nothing to do for a while. */
async function calm({ app, admin, settings, clock, isOver }: Calm): Promise<void> {
  const leases = admin.kind(Lease).namespace(settings.namespace);
  const start = clock.monotonic();
  let looks = 0;
  while (looks < CALM_LOOKS && !isOver()) {
    await clock.sleep(LOOK_EVERY_MS);
    const lease = await leases.get(app.name).catch(() => undefined); // before the app has created it
    const isLeading = (lease?.spec?.holderIdentity ?? '') !== '';
    const isCalm = isLeading && app.unready.length === 0 && app.isIdle && (await hasRegistered(admin, app));
    looks = isCalm ? looks + 1 : 0;
    if (clock.monotonic() - start > PATIENCE_MS)
      throw new Error(
        `Cannot run "${app.name}": after ${PATIENCE_MS / 1000} s ${app.unready.join(', ') || 'it is still busy'}; definitions of foreign kinds must be among the objects of --try`,
      );
  }
}
