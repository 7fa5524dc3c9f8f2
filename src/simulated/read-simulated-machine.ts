import { type ConfigurationKind, INTEGER, listOf, mapOf, objectOf, readConfiguration, TEXT } from '../api/index.ts';
import { messageOf } from '../base/index.ts';
import { shapeMachine, type SimulatedMachine } from './simulated-machine-shape.ts';

const FILE: ConfigurationKind = {
  group: 'keelson.dev',
  kind: 'SimulatedMachine',
  versions: ['v1'],
  fields: (version) => ({
    sockets: INTEGER,
    numaNodesPerSocket: INTEGER,
    coresPerNumaNode: INTEGER,
    threadsPerCore: INTEGER,
    cachesPerNumaNode: INTEGER,
    memoryPerNumaNode: TEXT,
    hugePagesPerNumaNode: INTEGER,
    systemReserved: mapOf(TEXT),
    cpuManagerPolicy: TEXT,
    cpuManagerPolicyOptions: mapOf(TEXT),
    reservedSystemCPUs: TEXT,
    memoryManagerPolicy: TEXT,
    reservedMemory: listOf(objectOf(`${version}.MemoryReservation`, { numaNode: INTEGER, limits: mapOf(TEXT) })),
    topologyManagerPolicy: TEXT,
    topologyManagerScope: TEXT,
    topologyManagerPolicyOptions: mapOf(TEXT),
  }),
};

const VALUES: Readonly<Partial<Record<keyof SimulatedMachine, readonly string[]>>> = {
  cpuManagerPolicy: ['none', 'static'],
  memoryManagerPolicy: ['None', 'Static'],
  topologyManagerPolicy: ['none', 'best-effort', 'restricted', 'single-numa-node'],
  topologyManagerScope: ['container', 'pod'],
};

/** Reads the file at `path`, which describes a made-up machine. Throws when there cannot be such a machine. */
export function readSimulatedMachine(text: string, path: string): SimulatedMachine {
  try {
    return machineOf(text);
  } catch (cause) {
    throw new TypeError(`Cannot simulate the machine of "${path}": ${messageOf(cause)}`, { cause });
  }
}

function machineOf(text: string): SimulatedMachine {
  const machine = readConfiguration<SimulatedMachine>(text, [FILE], { isStrict: true });
  if (machine.coresPerNumaNode === undefined) throw new TypeError('coresPerNumaNode: Required value');
  for (const [name, values] of Object.entries(VALUES)) {
    const value = machine[name as keyof SimulatedMachine];
    if (value !== undefined && !values.includes(String(value)))
      throw new TypeError(`${name}: Unsupported value: "${String(value)}": supported values: "${values.join('", "')}"`);
  }
  shapeMachine(machine);
  return machine;
}
