import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULT_KUBERNETES_VERSION } from '../../base/index.ts';
import { kubernetesVersionFlags, kubernetesVersionOf } from '../../cluster/programs/apiserver/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { findOnPath, makeAssets, quoted } from '../envtest/assets-folder.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { apiserverCommand } from './apiserver.ts';
import { etcdCommand } from './etcd.ts';

const definitions: FlagDefinitions = {
  dir: { type: 'string', value: 'DIR', help: 'Make the folder there (default keelson/envtest in the user’s cache)' },
  ...kubernetesVersionFlags,
  print: {
    type: 'string',
    value: 'env|path',
    default: 'env',
    help: 'Print a line for the shell, or only the path of the folder',
  },
};

/** `keelson envtest`: programs that controller-runtime's envtest starts instead of Kubernetes' own. */
export const envtestCommand: Command = {
  usage: `Usage: eval "$(keelson envtest [FLAGS])"

Makes a folder whose etcd and kube-apiserver are Keelson, and points KUBEBUILDER_ASSETS at it.

${describeFlags(definitions)}

These programs read from the environment of the test suite:

  KEELSON_CONTROLLERS  all, or names as for kube-controller-manager --controllers: run these controllers too
  KEELSON_SCHEDULER    true: run the scheduler too
  KEELSON_NODES        N: run N simulated nodes too
  KEELSON_SHARE        false: run each API server in its own process, not in one that up to four suites share`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const print = flags.text('print');
    if (print !== 'env' && print !== 'path') throw new UsageError(`--print must be env or path, got "${print ?? ''}"`);
    const program = programOf(context);
    const version = kubernetesVersionOf(flags);
    const server = [
      'kube-apiserver',
      ...(version === DEFAULT_KUBERNETES_VERSION ? [] : [`--kubernetes-version=${version}`]),
    ];
    const folder = resolve(flags.text('dir') ?? defaultFolder([...program, ...server.slice(1)], context.environment));
    const assets = [
      { name: 'etcd', command: [...program, 'etcd'], help: etcdCommand.usage },
      { name: 'kube-apiserver', command: [...program, ...server], help: apiserverCommand.usage },
    ];
    await makeAssets(folder, assets, findOnPath('kubectl', context.environment['PATH'] ?? '', folder));
    context.print(print === 'path' ? folder : `export KUBEBUILDER_ASSETS=${quoted(folder)}`);
  },
};

function programOf({ program }: CommandContext): readonly string[] {
  if (program === undefined || program.file.endsWith('.ts'))
    throw new Error('Cannot make programs that start Keelson: only the built program can be started by others');
  return [program.node, realpathSync(program.file)];
}

/** One folder for each installation of Keelson and Node and each version of Kubernetes, so that projects with different ones do not interfere. */
function defaultFolder(program: readonly string[], environment: CommandContext['environment']): string {
  const cache = environment['XDG_CACHE_HOME'] ?? '';
  const installation = createHash('sha256').update(program.join('\n')).digest('hex').slice(0, 12);
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'keelson', 'envtest', installation);
}
