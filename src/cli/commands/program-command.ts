import { CryptoRandom, RealClock } from '../../base/index.ts';
import { Client, type Credentials, Outages, type Transport } from '../../client/index.ts';
import type { Program, ProgramEntry } from '../../cluster/programs/index.ts';
import { type Command, UsageError } from '../command.ts';
import { type FlagDefinitions, Flags } from '../flags.ts';
import { helpOf } from '../help-text.ts';
import { IdleCollector } from '../idle-collector.ts';
import { checkUpstreamFlags, withUpstreamFlags } from '../upstream-flags.ts';
import { versionAsked, versionFlags } from '../version-flag.ts';
import { connectionFlags, findServer, programClient, serverChoice } from './connection-flags.ts';
import { electionFlags, electionSettings, electionTimeFlags, electionTiming } from './election-flags.ts';
import { logFlags, logLevelFlag, logLevelOf, logOf } from './log-flags.ts';
import { servingFlags, servingSettings } from './serving-flags.ts';

/** The flags of a program that runs alone: those of all programs, overridden by its own. */
export function standaloneDefinitions(program: Program): FlagDefinitions {
  const { name, flags, isOnePerCluster, isClient = true, port } = program;
  const election = isOnePerCluster ? electionFlags(name) : electionTimeFlags;
  return {
    ...(isClient ? connectionFlags : {}),
    ...flags.standalone,
    ...flags.shared,
    ...(isClient ? election : {}),
    ...(port === undefined ? {} : servingFlags(port)),
    ...logFlags,
    ...(flags.upstream === undefined ? logLevelFlag : versionFlags),
  };
}

/** `keelson COMMAND`: a program alone, on any API server. */
export async function programCommand(command: string, entry: ProgramEntry): Promise<Command> {
  const { program } = await entry.load();
  const definitions = standaloneDefinitions(program);
  const upstream = program.flags.upstream?.standalone ?? [];
  const known = withUpstreamFlags(definitions, upstream);
  const common = program.help?.common ?? { Flags: Object.keys(definitions) };
  return {
    ...helpOf({
      synopsis: `keelson ${command}${program.isClient === false ? '' : ' [--kubeconfig FILE]'} [FLAGS]`,
      description: `${entry.summary}.`,
      definitions,
      common,
      examples: program.help?.examples ?? [[`keelson ${command}`, 'on the cluster of the current context']],
      upstream: { count: Object.keys(known).length - Object.keys(definitions).length },
    }),
    async run(args, context) {
      const flags = new Flags(args, known);
      checkUpstreamFlags(flags, definitions, upstream);
      if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
      const { printed } = versionAsked(flags);
      if (printed !== undefined) return context.print(printed);
      const [clock, random] = [new RealClock(), new CryptoRandom()];
      const isKubernetes = program.flags.upstream !== undefined;
      const log = logOf(flags, context.printError, isKubernetes ? 'info' : (logLevelOf(flags) ?? 'warn'));
      const tools = { clock, random, log, print: (text: string) => context.print(text), signal: context.signal };
      const body = await program.load();
      const prepared = await body.standalone?.(flags, tools);
      if (prepared === undefined) return;
      const serving = program.port === undefined ? undefined : servingSettings(flags);
      const election = prepared.election ?? (program.isOnePerCluster ? electionSettings(flags) : electionTiming(flags));
      const choice = prepared.server ?? serverChoice(flags);
      const way = 'send' in choice ? undefined : await findServer(choice, context.environment);
      using _collector = new IdleCollector(clock);
      const outages = new Outages({ clock, log, server: way?.connection.server ?? '' });
      const options = {
        clock,
        random,
        outages,
        userAgent: program.name,
        ...(isKubernetes ? {} : { onWarning: () => undefined }),
      };
      const connect = (credentials?: Credentials): Client => {
        if (way === undefined) return new Client(choice as Transport, { clock, log, random });
        if (credentials === undefined) return programClient(way, options);
        return programClient({ ...way, connection: { ...way.connection, credentials } }, options);
      };
      await using client = connect();
      if (way !== undefined) context.print(`working on ${way.connection.server}`);
      await prepared.run(
        {
          ...tools,
          client,
          connection: way?.connection ?? { server: '' },
          connectAs: connect,
          election,
          serving,
        },
        context.signal,
      );
    },
  };
}
