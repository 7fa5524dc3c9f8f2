import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { type ClusterConnection, Outages } from '../../client/index.ts';
import { NodeProgram } from '../../cluster/index.ts';
import { type Command, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { connectionFlags, programClient, programConnection } from './connection-flags.ts';
import { electionTimeFlags, electionTiming } from './election-flags.ts';
import { fileFlag, readFlagFile } from './file-flag.ts';
import { logLevelOf, logOf } from './server-flags.ts';

/** What is obeyed. */
export const nodeDefinitions: FlagDefinitions = {
  ...connectionFlags,
  'node-name': {
    type: 'string',
    value: 'NAME',
    help: 'Name of the node, with a number behind it if there are several',
  },
  nodes: { type: 'string', value: 'N', default: '1', help: 'How many nodes there are' },
  'node-ip': {
    type: 'string',
    value: 'ADDRESS',
    default: '127.0.0.1',
    help: 'Where API servers reach the nodes, each at a port of its own, for logs, commands and forwarded ports',
  },
  'node-labels': { type: 'string', multiple: true, value: 'KEY=VALUE,…', help: 'Labels that the nodes have' },
  'client-ca-file': {
    type: 'string',
    value: 'FILE',
    help: "Authorities whose client certificates count at the nodes' ports (those of the kubeconfig unless given)",
  },
  ...electionTimeFlags,
  'logging-format': { type: 'string', value: 'FORMAT', default: 'text', help: 'text or json' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'What is logged: debug, info, warn or error, and all above it' },
  v: { type: 'string', value: 'N', default: '0', help: 'How much is logged; 4 and more tell of single steps' },
};

/** `keelson node`: simulated nodes alone, on any API server. */
export const nodeCommand: Command = {
  usage: `Usage: keelson node [--kubeconfig FILE] [--node-name NAME] [--nodes N] [FLAGS]\n\n${describeFlags(nodeDefinitions)}`,
  async run(args, context) {
    const flags = new Flags(args, nodeDefinitions);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const [clock, random] = [new RealClock(), new CryptoRandom()];
    const log = logOf(flags, context.printError, logLevelOf(flags) ?? 'warn');
    const address = flags.text('node-ip') ?? '';
    if (isIP(address) === 0) throw new UsageError(`--node-ip must be an IP address, got "${address}"`);
    const name = flags.text('node-name') ?? hostname().toLowerCase();
    const nodes = flags.integer('nodes', { min: 1, max: 10_000 }) ?? 1;
    const election = electionTiming(flags);
    const labels = labelsOf(flags);
    const way = await programConnection(flags, context.environment);
    const outages = new Outages({ clock, log, server: way.connection.server });
    const connecting = { clock, random, outages, userAgent: 'kubelet', onWarning: () => undefined };
    await using client = programClient(way, connecting);
    const onHeld = (): void => context.print(`running ${nodes === 1 ? 'node' : `${nodes} nodes`} "${name}"`);
    const clientAuthorities = fileFlag(flags, 'client-ca-file') ?? authorityOf(way.connection);
    const options = { name, nodes, address, clientAuthorities, labels, election, clock, random, log, onHeld };
    context.print(`working on ${way.connection.server}`);
    await new NodeProgram(client, options).run(context.signal);
  },
};

function labelsOf(flags: Flags): Readonly<Record<string, string>> {
  const pairs = flags.list('node-labels').map((text): [string, string] => {
    const [key = '', value] = text.split('=');
    if (key === '' || value === undefined) throw new UsageError(`--node-labels needs KEY=VALUE, got "${text}"`);
    return [key, value];
  });
  return Object.fromEntries(pairs);
}

function authorityOf({ certificateAuthority }: ClusterConnection): string {
  if (certificateAuthority === undefined) return '';
  return 'pem' in certificateAuthority
    ? certificateAuthority.pem
    : readFlagFile('kubeconfig', certificateAuthority.path);
}
