import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aborted, messageOf, RealClock } from '../../base/index.ts';
import { findConnection } from '../../client/index.ts';
import type { Injection } from '../../testing/index.ts';
import { type Command, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { readFaultFile } from '../faults/rules-file.ts';
import { runToEnd } from '../shared/run-to-end.ts';

const definitions: FlagDefinitions = {
  rules: { type: 'string', value: 'FILE', help: 'What goes wrong: a file in YAML' },
  kubeconfig: { type: 'string', value: 'FILE', help: 'The cluster behind the proxy (default: as kubectl finds it)' },
  context: { type: 'string', value: 'NAME', help: 'A context of that kubeconfig (default the current one)' },
  seed: { type: 'string', value: 'TEXT', help: 'Decides at random (default the seed of FILE, or "faults")' },
  port: {
    type: 'string',
    value: 'PORT',
    default: '0',
    help: 'Where the proxy listens on 127.0.0.1; 0 for any free port',
  },
  write: { type: 'string', value: 'FILE', help: 'Write the kubeconfig for clients here (default a temporary file)' },
  quiet: { type: 'boolean', default: false, help: 'Print only the sums at the end' },
};

const MAX_PORT = 65_535;

/** `keelson faults`: injects faults in front of any API server. */
export const faultsCommand: Command = {
  usage: `Usage: keelson faults --rules FILE [FLAGS] [-- COMMAND…]

  keelson faults --rules rules.yaml                     print the path of a kubeconfig, and what is done
  keelson faults --rules rules.yaml -- ./bin/manager    run a command with it, and end with the command

A proxy in front of the API server of a kubeconfig. Clients with the proxy's kubeconfig act as the user of that one, and meet the
faults of the rules: conflicts, errors, delays, lost answers, watches that are dead, late or expired, lists of the past, lost Leases.

${describeFlags(definitions)}`,
  async run(args, context) {
    const end = args.indexOf('--');
    const flags = new Flags(end < 0 ? args : args.slice(0, end), definitions);
    const command = end < 0 ? undefined : args.slice(end + 1);
    if (flags.positionals.length > 0)
      throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}": the command goes after --`);
    if (command?.length === 0) throw new UsageError('which command?');
    const rules = flags.text('rules');
    if (rules === undefined) throw new UsageError('which rules? --rules names a file');
    const { seed, faults } = await readFaultFile(rules);
    const { environment, print, signal } = context;
    const [kubeconfig, contextName] = [flags.text('kubeconfig'), flags.text('context')];
    const connection = await findConnection({
      environment,
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(contextName === undefined ? {} : { context: contextName }),
    }).catch((cause: unknown) => {
      throw new UsageError(messageOf(cause), { cause });
    });
    const counts = new Map<string, number>();
    const { FaultProxy } = await import('../../testing/index.ts'); // other commands start without it
    await using proxy = await FaultProxy.open({
      connection,
      faults,
      seed: flags.text('seed') ?? seed ?? 'faults',
      port: flags.integer('port', { min: 0, max: MAX_PORT }) ?? 0,
      clock: new RealClock(),
      onInjection: (injection) => {
        const { type } = injection.fault;
        counts.set(type, (counts.get(type) ?? 0) + 1);
        if (!flags.isSet('quiet')) print(lineOf(injection));
      },
    });
    const folder = await mkdtemp(join(tmpdir(), 'keelson-faults-'));
    try {
      const path = flags.text('write') ?? join(folder, 'kubeconfig');
      await writeFile(path, proxy.kubeconfig, { mode: 0o600 });
      if (command !== undefined) return await runToEnd(command, { KUBECONFIG: path }, context);
      print(`export KUBECONFIG=${path}`);
      await aborted(signal);
      return 0;
    } finally {
      await rm(folder, { recursive: true, force: true });
      print(sumsOf(counts));
    }
  },
};

/** Such as `12:00:00.250  conflict         update deployments.apps default/web  (manager)`. */
function lineOf({ atMs, fault, request, program }: Injection): string {
  const time = new Date(atMs).toISOString().slice(11, 23);
  return `${time}  ${fault.type.padEnd(15)}  ${request}${program === '' ? '' : `  (${program})`}`;
}

function sumsOf(counts: ReadonlyMap<string, number>): string {
  const sums = [...counts].map(([type, count]) => `${count} ${type}`);
  return sums.length === 0 ? 'no fault was injected' : `injected: ${sums.join(', ')}`;
}
