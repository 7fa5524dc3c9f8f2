import type { Command } from '../command.ts';
import { UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const definitions: FlagDefinitions = {
  call: {
    type: 'string',
    value: 'NAME',
    help: 'The exported function that makes the app, when the module exports none',
  },
  name: { type: 'string', value: 'NAME', help: "Name of the roles (default: the app's)" },
  namespace: { type: 'string', value: 'NAME', help: 'Namespace of the app, for its namespaced roles' },
};

/** `keelson rbac`: the roles that apps of a module need. */
export const rbacCommand: Command = {
  usage: `Usage: keelson rbac FILE [FLAGS]

  keelson rbac app.ts                        the roles of the apps that a module runs or exports
  keelson rbac app.ts --call sampleController of the app that a function of it makes

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [file, ...rest] = flags.positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('one file must be given');
    const { loadApps } = await import('../definitions/load-apps.ts'); // other commands start without it
    const { rbacOf } = await import('../../kit/index.ts');
    const { encodeYaml } = await import('../../api/index.ts');
    const apps = await loadApps(file, flags.text('call'));
    const [name, namespace] = [flags.text('name'), flags.text('namespace')];
    const options = { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) };
    const roles = apps.flatMap(({ app }) => {
      const { clusterRole, role } = rbacOf(app, options);
      return role === undefined ? [clusterRole] : [clusterRole, role];
    });
    context.print(roles.map((role) => encodeYaml(role).trimEnd()).join('\n---\n'));
  },
};
