import type { App } from '../../kit/index.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const definitions: FlagDefinitions = {
  call: {
    type: 'string',
    value: 'NAME',
    help: 'The exported function that makes the app, when the module exports none',
  },
  name: { type: 'string', value: 'NAME', help: "The roles' name; the app's unless given" },
  namespace: { type: 'string', value: 'NAME', help: 'Where the app runs, for what it needs there only' },
};

/** `keelson rbac`: the roles that apps of a module need. */
export const rbacCommand: Command = {
  name: 'rbac',
  summary: 'Print the roles that the apps of a module need',
  usage: `Usage: keelson rbac FILE [FLAGS]

  keelson rbac app.ts                        the roles of the apps that a module exports
  keelson rbac app.ts --call sampleController of the app that a function of it makes

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [file, ...rest] = flags.positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('one file must be given');
    const { loadModule } = await import('../definitions/load-module.ts'); // other commands start without it
    const { rbacOf } = await import('../../kit/index.ts');
    const { encodeYaml } = await import('../../api/index.ts');
    const apps = appsOf(await loadModule(file), flags.text('call'));
    if (apps.length === 0) throw new Error(`"${file}" exports no app; --call names a function that makes one`);
    const [name, namespace] = [flags.text('name'), flags.text('namespace')];
    const options = { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) };
    const roles = apps.flatMap((each) => {
      const { clusterRole, role } = rbacOf(each, options);
      return role === undefined ? [clusterRole] : [clusterRole, role];
    });
    context.print(roles.map((role) => encodeYaml(role).trimEnd()).join('\n---\n'));
  },
};

function appsOf(exported: Readonly<Record<string, unknown>>, call: string | undefined): readonly App[] {
  if (call === undefined) return [...new Set(Object.values(exported))].filter(isApp);
  const make = exported[call];
  if (typeof make !== 'function') throw new UsageError(`--call ${call}: the module exports no such function`);
  const made: unknown = Reflect.apply(make, undefined, []);
  if (!isApp(made)) throw new UsageError(`--call ${call}: it makes no app`);
  return [made];
}

function isApp(value: unknown): value is App {
  return typeof value === 'object' && value !== null && 'needs' in value && 'caches' in value && 'run' in value;
}
