import { run } from '../../kit/index.ts';
import { type Command, UsageError } from '../command.ts';
import { loadApps, type LoadedApp } from '../definitions/load-apps.ts';
import { DEPLOYED_IMAGE, type DeployedObjects } from '../dev/deployed-app.ts';
import { type FlagDefinitions, Flags } from '../flags.ts';
import { appObjects } from '../manifests/app-objects.ts';
import { deploymentSettings } from '../manifests/settings.ts';

const definitions: FlagDefinitions = {
  call: { type: 'string', value: 'NAME', help: 'The exported function that makes the app' },
  objects: { type: 'boolean', help: 'Send the objects that deploy the app to the parent process' },
};

/** The flags of `keelson manifests` that settings are read from. */
const SETTINGS: FlagDefinitions = {
  name: { type: 'string', help: '' },
  namespace: { type: 'string', help: '' },
  replicas: { type: 'string', default: '1', help: '' },
  image: { type: 'string', default: DEPLOYED_IMAGE, help: '' },
};

/** `keelson deployed-app`: the program in the pod of `keelson dev --deployed`, or the objects that deploy it. */
export const deployedAppCommand: Command = {
  usage: 'Usage: keelson deployed-app FILE',
  async run(args) {
    const flags = new Flags(args, definitions);
    const [file] = flags.positionals;
    if (file === undefined) throw new UsageError('a file must be given');
    const { app, options } = onlyOne(await loadApps(file, flags.text('call')), file);
    if (!flags.isSet('objects')) {
      await run(app, options);
      return;
    }
    const settings = deploymentSettings(file, app, new Flags([], SETTINGS));
    const { namespace, definitions: kinds, access, deployment } = appObjects(app, settings);
    const made: DeployedObjects = {
      name: settings.name,
      namespace: settings.namespace,
      objects: [...namespace, ...kinds, ...access, ...deployment],
    };
    await new Promise((resolve) => process.send?.(made, resolve));
    process.exit(0); // even if the module has left something open
  },
};

function onlyOne(apps: readonly LoadedApp[], file: string): LoadedApp {
  const [first, ...others] = apps;
  if (first !== undefined && others.length === 0) return first;
  const names = apps.map(({ app }) => app.name).join(', ');
  throw new Error(
    `"${file}" has several apps (${names}), and a Deployment runs one; --call names a function that makes it`,
  );
}
