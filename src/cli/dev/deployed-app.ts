import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative, resolve } from 'node:path';
import { aborted, type Clock, messageOf } from '../../base/index.ts';
import type { Client, KubernetesObject } from '../../client/index.ts';
import { type Cluster, ImageCommands, type RunImagesOptions } from '../../cluster/index.ts';
import type { CommandContext } from '../command.ts';
import { projectOf } from '../manifests/settings.ts';
import { SourceFiles } from './source-files.ts';

/** The image of the app, which no registry has. */
export const DEPLOYED_IMAGE = 'keelson.dev/deployed-app:dev';

/** What deploys an app. */
export interface DeployedObjects {
  readonly name: string;
  readonly namespace: string;
  /** In the order of their creation. */
  readonly objects: readonly KubernetesObject[];
}

/** The app of `keelson dev --deployed`. */
export interface DeployedApp {
  readonly file: string;
  /** The exported function that makes the app, if the command line names one. */
  readonly call: string | undefined;
  readonly program: NonNullable<CommandContext['program']>;
}

const ADMIN = { user: 'kubernetes-admin', groups: ['system:masters'] };
/** Says when the app was loaded: a Deployment replaces its pods when their template changes. */
const LOADED = 'keelson.dev/loaded-at';

/** Runs the image of the app as the app's own module, and prints what it prints. */
export function deployedImages(app: DeployedApp, print: (line: string) => void): RunImagesOptions {
  const { node, file } = app.program;
  const command = {
    image: DEPLOYED_IMAGE,
    command: [node, '--enable-source-maps', file, 'deployed-app', ...argumentsOf(app)],
    args: undefined,
    workingDirectory: process.cwd(),
    env: {},
    namespaces: undefined,
  };
  let rest = '';
  const onOutput = (bytes: Uint8Array): void => {
    const lines = (rest + Buffer.from(bytes).toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) print(line);
  };
  return { commands: new ImageCommands([command]), onOutput };
}

/** Deploys the app to the cluster, and again when a source file changes, until the program stops. */
export async function keepDeployed(
  app: DeployedApp,
  { cluster, clock, context }: { readonly cluster: Cluster; readonly clock: Clock; readonly context: CommandContext },
): Promise<void> {
  const { signal, print, printError } = context;
  const { folder } = projectOf(app.file);
  await using client = cluster.plane.client(ADMIN);
  let changed = new AbortController();
  const onChange = (path: string): void => {
    print(`\n${relative(folder, path)} has changed`);
    changed.abort();
  };
  using _sources = new SourceFiles(folder, { clock, onChange });
  while (!signal.aborted) {
    changed = new AbortController();
    const next = aborted(AbortSignal.any([signal, changed.signal]));
    try {
      const made = await objectsOf(app, context);
      await deploy(client, made, { loadedAt: new Date(clock.now()).toISOString(), signal });
      const { name, namespace } = made;
      print(
        `${name} deployed as system:serviceaccount:${namespace}:${name}; kubectl get pods -n ${namespace} shows it`,
      );
    } catch (error) {
      if (!signal.aborted) printError(`${messageOf(error)}; the next change of a file deploys the app again`);
    }
    await next;
  }
}

function argumentsOf({ file, call }: DeployedApp): readonly string[] {
  return [resolve(file), ...(call === undefined ? [] : [`--call=${call}`])];
}

/** Loads the app in another process: Node.js cannot load a module again within one. */
async function objectsOf(app: DeployedApp, { environment }: CommandContext): Promise<DeployedObjects> {
  const { node, file } = app.program;
  const args = ['--enable-source-maps', file, 'deployed-app', '--objects', ...argumentsOf(app)];
  const child = spawn(node, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...environment } });
  let made: DeployedObjects | undefined;
  child.on('message', (message) => void (made = message as DeployedObjects));
  const [code] = (await once(child, 'close')) as [number | null];
  if (made === undefined) throw new Error(`Cannot load "${app.file}": its process ended with exit code ${code ?? 0}`);
  return made;
}

async function deploy(
  client: Client,
  { objects }: DeployedObjects,
  { loadedAt, signal }: { readonly loadedAt: string; readonly signal: AbortSignal },
): Promise<void> {
  for (const object of objects) {
    const { apiVersion = '', kind = '', metadata } = object;
    try {
      const served = await client.apis.find(apiVersion, kind, { signal });
      if (served === undefined) throw new Error(`the server does not serve ${kind} of ${apiVersion}`);
      const how = { fieldManager: 'keelson-dev', force: true, signal };
      await client.kindIn(served, metadata?.namespace).apply(loaded(object, loadedAt), how);
    } catch (cause) {
      throw new Error(`Cannot deploy ${kind} "${metadata?.name ?? ''}": ${messageOf(cause)}`, { cause });
    }
  }
}

/** A Deployment with the time of this load in its pods; other objects as they are. */
function loaded(object: KubernetesObject, loadedAt: string): KubernetesObject {
  if (object.kind !== 'Deployment') return object;
  const { spec } = object as { readonly spec: { readonly template: KubernetesObject } };
  const { metadata } = spec.template;
  const annotations = { ...metadata?.annotations, [LOADED]: loadedAt };
  return {
    ...object,
    spec: { ...spec, template: { ...spec.template, metadata: { ...metadata, annotations } } },
  } as KubernetesObject;
}
