import { readManifests } from '../../client/manifests/index.ts';
import type { NodePlugin } from '../../kit/index.ts';
import { type CommandContext, UsageError } from '../command.ts';
import { findEntry } from '../definitions/find-entry.ts';
import { type LoadedApp, loadPrograms } from '../definitions/load-apps.ts';
import type { Flags } from '../flags.ts';
import { type AppObjects, appObjects } from './app-objects.ts';
import { pluginObjects } from './plugin-objects.ts';
import { type DeploymentSettings, deploymentSettings } from './settings.ts';
import { tryDeployment, tryObjects } from './trial.ts';
import { withoutUrl } from './without-url.ts';

/** An app of the user's module, ready to be deployed. */
export interface Deployable {
  readonly settings: DeploymentSettings;
  readonly objects: AppObjects;
}

/** What the command gives. */
export type DeployContext = Pick<CommandContext, 'signal' | 'progress'>;

/** Loads the app that the flags name, and makes and tries the objects that deploy it. */
export async function deployableApp(flags: Flags, context: DeployContext): Promise<Deployable> {
  const { signal, progress = () => undefined } = context;
  const file = findEntry(flags.positionals);
  progress(`loading ${file}`);
  const { apps, plugins } = await loadPrograms(file, flags.text('call'));
  const [plugin, ...more] = plugins;
  if (plugin !== undefined) {
    if (more.length > 0)
      throw new UsageError(
        `"${file}" runs several plugins (${plugins.map(({ name }) => name).join(', ')}), and a DaemonSet runs one`,
      );
    return await deployablePlugin(plugin, { file, flags, signal, progress });
  }
  const { app } = onlyOne(apps, file);
  const settings = deploymentSettings(file, app, flags);
  const objects = appObjects(app, settings);
  const samples = await readManifests(flags.list('try'));
  const registrations = flags.isSet('trial')
    ? await tryDeployment(app, objects, { settings, samples, signal, progress })
    : [];
  const definitions = objects.definitions.map(withoutUrl);
  return { settings, objects: { ...objects, definitions, registrations: registrations.map(withoutUrl) } };
}

interface PluginContext extends Required<DeployContext> {
  readonly file: string;
  readonly flags: Flags;
}

async function deployablePlugin(
  plugin: NodePlugin,
  { file, flags, signal, progress }: PluginContext,
): Promise<Deployable> {
  const settings = deploymentSettings(file, plugin, flags);
  const objects = pluginObjects(plugin, settings);
  if (flags.isSet('trial')) await tryObjects(objects, { signal, progress });
  return { settings, objects };
}

function onlyOne(apps: readonly LoadedApp[], file: string): LoadedApp {
  const [first, ...others] = apps;
  if (first !== undefined && others.length === 0) return first;
  const names = apps.map(({ app }) => app.name).join(', ');
  throw new UsageError(
    `"${file}" has several apps (${names}), and a Deployment runs one; --call names a function that makes it`,
  );
}
