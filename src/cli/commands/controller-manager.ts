import { CryptoRandom, RealClock } from '../../base/index.ts';
import { type ClusterConnection, Outages } from '../../client/index.ts';
import { ControllerManager, controllerListProblems, ServiceAccountClients } from '../../cluster/index.ts';
import { type Command, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { controllerManagerApartFlags } from '../upstream/program-flags.ts';
import { checkUpstreamFlags, withUpstreamFlags } from '../upstream/verdict.ts';
import { connectionFlags, programClient, programConnection } from './connection-flags.ts';
import { controllerFlags, controllerSettings } from './controller-flags.ts';
import { electionFlags, electionSettings } from './election-flags.ts';
import { fileFlag, readFlagFile } from './file-flag.ts';
import { logOf } from './server-flags.ts';
import { servingFlags, servingSettings } from './serving-flags.ts';

const PORT = 10_257;
const PROGRAM = 'kube-controller-manager';

/** What is obeyed. */
export const controllerManagerDefinitions: FlagDefinitions = {
  ...connectionFlags,
  controllers: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    help: 'Controllers to run: * for all that are on by default, a name, or -name for one that is not to run (*)',
  },
  'use-service-account-credentials': {
    type: 'boolean',
    default: false,
    help: 'Each controller acts as its service account in kube-system',
  },
  'root-ca-file': {
    type: 'string',
    value: 'FILE',
    help: 'Authorities that pods are to trust (those of the kubeconfig unless given)',
  },
  'service-account-private-key-file': {
    type: 'string',
    value: 'FILE',
    help: 'Key that signs tokens for Secrets; none are made unless given',
  },
  'cluster-signing-cert-file': {
    type: 'string',
    value: 'FILE',
    help: 'Authority that signs certificates which have been asked for; none are signed unless given',
  },
  'cluster-signing-key-file': { type: 'string', value: 'FILE', help: 'Key of --cluster-signing-cert-file' },
  ...controllerFlags,
  ...electionFlags(PROGRAM),
  ...servingFlags(PORT),
  'logging-format': { type: 'string', value: 'FORMAT', default: 'text', help: 'text or json' },
  v: { type: 'string', value: 'N', default: '0', help: 'How much is logged; 4 and more tell of single steps' },
};

/** `keelson controller-manager`: the controllers alone, on any API server. */
export const controllerManagerCommand: Command = {
  usage: `Usage: keelson controller-manager [--kubeconfig FILE] [FLAGS]\n\n${describeFlags(controllerManagerDefinitions)}`,
  async run(args, context) {
    const flags = new Flags(args, withUpstreamFlags(controllerManagerDefinitions, controllerManagerApartFlags));
    checkUpstreamFlags(flags, controllerManagerDefinitions, controllerManagerApartFlags);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const controllers = controllerList(flags);
    const [clock, random] = [new RealClock(), new CryptoRandom()];
    const log = logOf(flags, context.printError, 'info');
    const signing = signingPair(flags);
    const serviceAccountKey = fileFlag(flags, 'service-account-private-key-file');
    const serving = servingSettings(flags);
    const election = electionSettings(flags);
    const way = await programConnection(flags, context.environment);
    const outages = new Outages({ clock, log, server: way.connection.server });
    const options = { clock, random, outages, userAgent: PROGRAM };
    await using client = programClient(way, options);
    await using accounts = new ServiceAccountClients(client, (credentials) =>
      programClient({ ...way, connection: { ...way.connection, credentials } }, options),
    );
    const manager = new ControllerManager(client, {
      clock,
      random,
      controllers,
      settings: controllerSettings(flags),
      rootCertificate: fileFlag(flags, 'root-ca-file') ?? authorityOf(way.connection),
      election,
      ...(serving === undefined ? {} : { serving }),
      ...(signing === undefined ? {} : { signing }),
      ...(serviceAccountKey === undefined ? {} : { serviceAccountKey }),
      ...(flags.isSet('use-service-account-credentials')
        ? { clientFor: (account: string) => accounts.clientFor(account) }
        : {}),
    });
    context.print(`working on ${way.connection.server}`);
    await manager.run(context.signal);
  },
};

function controllerList(flags: Flags): readonly string[] {
  const list = flags.list('controllers');
  const problems = controllerListProblems(list);
  if (problems.length > 0) throw new UsageError(`--controllers: ${problems.join('; ')}`);
  return list.length === 0 ? ['*'] : list;
}

function signingPair(flags: Flags): { readonly certificate: string; readonly privateKey: string } | undefined {
  const certificate = fileFlag(flags, 'cluster-signing-cert-file');
  const privateKey = fileFlag(flags, 'cluster-signing-key-file');
  if ((certificate === undefined) !== (privateKey === undefined))
    throw new UsageError('--cluster-signing-cert-file and --cluster-signing-key-file go together');
  return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey };
}

function authorityOf({ certificateAuthority }: ClusterConnection): string {
  if (certificateAuthority === undefined) return '';
  return 'pem' in certificateAuthority
    ? certificateAuthority.pem
    : readFlagFile('kubeconfig', certificateAuthority.path);
}
