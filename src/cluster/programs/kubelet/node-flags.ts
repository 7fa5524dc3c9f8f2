import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { type FlagValues, FlagError } from '../flag.ts';
import type { StandaloneProgram, StandaloneTools } from '../program.ts';
import { type ImageCommands, readImageCommands } from '../../../processes/index.ts';
import { authorityOf, fileFlag, usable } from '../read-flags.ts';
import { readSimulatedMachine } from '../../../simulated/assigned.ts';
import { labelsOf } from './node-labels.ts';
import type { NodesOptions } from './node-options.ts';
import { NodeProgram } from './node-program.ts';

const MAX_NODES = 10_000;

/** What the flags of `keelson up` ask for. */
export function nodeFlags(flags: FlagValues): NodesOptions {
  const nodeName = flags.text('node-name');
  if (nodeName !== undefined && !/^[a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?$/.test(nodeName))
    throw new FlagError(`--node-name must consist of lower-case letters, digits, "-" and ".", got "${nodeName}"`);
  const images = fileFlag(flags, 'run-images');
  return {
    ...(images === undefined ? {} : { runImages: { commands: commandsOf(images, flags.text('run-images') ?? '') } }),
    nodes: simulatedNodes(flags),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...machineOf(flags),
    nodeEndpoints: flags.isSet('node-endpoints'),
    simulatedMetrics: flags.isSet('simulated-metrics'),
  };
}

function machineOf(flags: FlagValues): Pick<NodesOptions, 'pluginDir' | 'simulatedMachine'> {
  const pluginDir = flags.text('plugin-dir');
  const machine = fileFlag(flags, 'simulated-machine');
  return {
    ...(pluginDir === undefined ? {} : { pluginDir }),
    ...(machine === undefined
      ? {}
      : { simulatedMachine: usable(() => readSimulatedMachine(machine, flags.text('simulated-machine') ?? '')) }),
  };
}

/** A node with real containers takes the place of the simulated one, where no other number is asked for. */
function simulatedNodes(flags: FlagValues): number {
  const asked = flags.integer('nodes', { min: 0, max: MAX_NODES }) ?? 1;
  return flags.has('container-runtime-endpoint') && !flags.has('nodes') ? 0 : asked;
}

/** `keelson node`. */
export async function standaloneNodes(flags: FlagValues, tools: StandaloneTools): Promise<StandaloneProgram> {
  const address = flags.text('node-ip') ?? '';
  if (isIP(address) === 0) throw new FlagError(`--node-ip must be an IP address, got "${address}"`);
  const name = flags.text('node-name') ?? hostname().toLowerCase();
  const nodes = flags.integer('nodes', { min: 1, max: MAX_NODES }) ?? 1;
  const labels = labelsOf(flags);
  const { clock, random, log, print } = tools;
  return {
    async run({ client, connection, election }, signal) {
      const clientAuthorities = fileFlag(flags, 'client-ca-file') ?? authorityOf(connection);
      const onHeld = (): void => print(`running ${nodes === 1 ? 'node' : `${nodes} nodes`} "${name}"`);
      const timing = election === false ? {} : { election };
      const options = {
        name,
        nodes,
        address,
        clientAuthorities,
        labels,
        ...timing,
        ...machineOf(flags),
        clock,
        random,
        log,
        onHeld,
      };
      await new NodeProgram(client, options).run(signal);
    },
  };
}

function commandsOf(text: string, path: string): ImageCommands {
  return usable(() => readImageCommands(text, path));
}
