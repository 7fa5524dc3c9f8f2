import type { Attachment, CniRunner, NetworkConfiguration, ValidAttachment } from '../../cni/index.ts';
import type { Command, CommandContext } from '../command.ts';
import { UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';

const definitions: FlagDefinitions = {
  'net-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Folder of network configurations (default: NETCONFPATH, or /etc/cni/net.d)',
  },
  config: { type: 'string', value: 'FILE', help: 'A network configuration, in place of one of the folder' },
  'plugin-path': {
    type: 'string',
    value: 'DIR:…',
    help: 'Folders of plugins (default: CNI_PATH, or /opt/cni/bin:/usr/lib/cni)',
  },
  ifname: { type: 'string', value: 'NAME', help: 'The interface in the container (default: CNI_IFNAME, or eth0)' },
  'container-id': {
    type: 'string',
    value: 'ID',
    help: 'Id of the container (default: made of the path of the namespace, the same as that of cnitool)',
  },
  args: { type: 'string', value: 'A=1;B=2', help: 'Arguments for all plugins (default: CNI_ARGS)' },
  'capability-args': {
    type: 'string',
    value: 'JSON',
    help: 'Arguments for plugins with the capability, such as {"portMappings":[…]} (default: CAP_ARGS)',
  },
  valid: {
    type: 'string',
    value: 'ID/IFNAME,…',
    multiple: true,
    help: 'gc: attachments that still exist (default: none do, and all that are known are deleted)',
  },
  'cache-dir': {
    type: 'string',
    value: 'DIR',
    default: '/var/lib/cni',
    help: 'Where results are kept from add to del, in the files of libcni',
  },
  timeout: { type: 'string', value: 'DURATION', default: '2m', help: 'How long one plugin may run' },
};

/** `keelson cni`: runs the plugins of a network. */
export const cniCommand: Command = {
  usage: `Usage: keelson cni add|check|del|gc|status|validate NETWORK [NETNS] [FLAGS]

Runs the plugins of a CNI network, as container runtimes do and with the environment variables of cnitool.

  ip netns add blue
  keelson cni add pods /run/netns/blue      adds the namespace to the network and prints the result
  keelson cni check pods /run/netns/blue    asks the plugins whether it is still as they made it
  keelson cni del pods /run/netns/blue      removes it; may be repeated
  keelson cni gc pods --valid ID/eth0       removes what is left of attachments that no longer exist
  keelson cni status pods                   asks whether the plugins can add containers
  keelson cni validate pods                 looks for the plugins and the versions that they support

Fails with exit code 1 and the error object of the specification on standard output.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [action = '', name, netns, ...more] = flags.positionals;
    const act = actions[action];
    if (act === undefined) throw new UsageError(`expected add, check, del, gc, status or validate, got "${action}"`);
    if (name === undefined) throw new UsageError('the name of a network must be given');
    if (more.length > 0) throw new UsageError(`unexpected argument "${more[0] ?? ''}"`);
    const cni = await import('../../cni/index.ts'); // other commands start without it
    const { messageOf, millisecondsOf, parseDuration } = await import('../../base/index.ts');
    const { environment } = context;
    let timeoutMs: number;
    try {
      timeoutMs = millisecondsOf(parseDuration(flags.text('timeout') ?? ''));
    } catch (error) {
      throw new UsageError(`--timeout: ${messageOf(error)}`);
    }
    const runner = cni.cniRunner({
      pluginFolders: (flags.text('plugin-path') ?? (environment['CNI_PATH'] || '/opt/cni/bin:/usr/lib/cni')).split(':'),
      cacheFolder: flags.text('cache-dir') ?? cni.CACHE_FOLDER,
      timeout: timeoutMs,
      environment,
      onStderr: (text) => context.printError(text.trimEnd()),
    });
    let cniVersion: string = cni.CURRENT_VERSION;
    try {
      const file = flags.text('config');
      const folder = flags.text('net-dir') ?? (environment['NETCONFPATH'] || cni.NETWORK_FOLDER);
      const network = await (file === undefined ? cni.loadNetwork(folder, name) : cni.loadNetworkFile(file));
      if (network.name !== name)
        throw new UsageError(`--config is the configuration of network "${network.name}", not of "${name}"`);
      cniVersion = network.cniVersion || cniVersion;
      const attachment = await attachmentOf(netns, flags, context);
      await act({ runner, network, attachment, flags, context });
      return 0;
    } catch (error) {
      if (!(error instanceof cni.CniError)) throw error;
      context.print(JSON.stringify(error.toObject(cniVersion), undefined, 4));
      context.printError(`keelson cni ${action}: ${error.message}`);
      return 1;
    }
  },
};

interface Asked {
  readonly runner: CniRunner;
  readonly network: NetworkConfiguration;
  /** Undefined where no namespace is given. */
  readonly attachment: Attachment | undefined;
  readonly flags: Flags;
  readonly context: CommandContext;
}

const actions: Readonly<Record<string, (asked: Asked) => Promise<void>>> = {
  async add({ runner, network, attachment, context }) {
    const result = await runner.add(network, required(attachment), context);
    context.print(JSON.stringify(result, undefined, 4));
  },
  check: ({ runner, network, attachment, context }) => runner.check(network, required(attachment), context),
  del: ({ runner, network, attachment, context }) => runner.del(network, required(attachment), context),
  gc: ({ runner, network, flags, context: { signal } }) =>
    runner.gc(network, { signal, ...(flags.has('valid') ? { valid: validOf(flags) } : {}) }),
  status: ({ runner, network, context }) => runner.status(network, context),
  async validate({ runner, network, context }) {
    const capabilities = await runner.validate(network, context);
    const types = network.plugins.map(({ type }) => type).join(', ');
    const version = network.cniVersion === '' ? 'no version' : `version ${network.cniVersion}`;
    context.print(`network "${network.name}": ${version}, plugins ${types}`);
    if (capabilities.length > 0) context.print(`capabilities: ${capabilities.join(', ')}`);
  },
};

function required(attachment: Attachment | undefined): Attachment {
  if (attachment === undefined) throw new UsageError('the path of a network namespace must be given');
  return attachment;
}

async function attachmentOf(
  path: string | undefined,
  flags: Flags,
  { environment }: CommandContext,
): Promise<Attachment | undefined> {
  const capabilityArgs = capabilityArgsOf(flags.text('capability-args') ?? environment['CAP_ARGS'] ?? '');
  const args = argsOf(flags.text('args') ?? environment['CNI_ARGS'] ?? '');
  if (path === undefined) return undefined;
  const { resolve } = await import('node:path');
  const { createHash } = await import('node:crypto');
  const netns = resolve(path);
  const digest = createHash('sha512').update(netns).digest('hex').slice(0, 20);
  return {
    containerId: flags.text('container-id') ?? `cnitool-${digest}`,
    netns,
    ifName: flags.text('ifname') ?? environment['CNI_IFNAME'] ?? 'eth0',
    args,
    ...(capabilityArgs === undefined ? {} : { capabilityArgs }),
  };
}

function argsOf(text: string): NonNullable<Attachment['args']> {
  if (text === '') return [];
  return text.split(';').map((pair) => {
    const [, name, value] = /^([^=]+)=([^=]+)$/.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--args must be pairs such as A=1;B=2, got ${JSON.stringify(pair)}`);
    return [name, value];
  });
}

function capabilityArgsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is no object');
    return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new UsageError(`--capability-args must be a JSON object: ${(error as Error).message}`);
  }
}

function validOf(flags: Flags): readonly ValidAttachment[] {
  return flags.list('valid').map((text) => {
    const [containerID = '', ifname = '', ...more] = text.split('/');
    if (containerID === '' || ifname === '' || more.length > 0)
      throw new UsageError(`--valid must be ID/IFNAME, got "${text}"`);
    return { containerID, ifname };
  });
}
