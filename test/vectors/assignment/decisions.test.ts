import { expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../../src/base/index.ts';
import { qosClassOf } from '../../../src/api/meaning/index.ts';
import {
  assignmentMetrics,
  formatCpuList,
  type MachineTopology,
  madeTopology,
  ResourceAssigner,
} from '../../../src/assignment/index.ts';
import type { DevicePlugins } from '../../../src/devices/index.ts';
import { DeviceList } from 'keelson/devices';
import { DeviceNode, until } from '../../../src/devices/testing/device-node.ts';
import type { Checkpoints } from '../../../src/node/index.ts';
import { podOf } from '../../../src/node/testing/pod-views.ts';
import {
  type Decision,
  type GivenToContainer,
  type RecordedCase,
  readCases,
  RESERVED,
  RESOURCE,
  type Step,
} from './recorded-decisions.ts';

class MemoryCheckpoints implements Checkpoints {
  readonly #texts = new Map<string, string>();

  async read(name: string): Promise<string | undefined> {
    return this.#texts.get(name);
  }

  async write(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
  }
}

function topologyOf({ shape, distances }: RecordedCase): MachineTopology {
  const { processors, numaNodes } = madeTopology(shape);
  return {
    processors,
    numaNodes: numaNodes.map((node) => ({ ...node, distances: distances?.[node.id] ?? node.distances })),
  };
}

/** The devices of machines with some number of NUMA nodes, served by a plugin that prefers them in the order of their names. */
class ServedDevices {
  readonly #list = new DeviceList([]);
  readonly #plugins: DevicePlugins;

  static async open(nodes: readonly number[]): Promise<ServedDevices> {
    const machine = await DeviceNode.create();
    onTestFinished(() => machine[Symbol.asyncDispose]());
    const served = new ServedDevices(await machine.open(nodes));
    await machine.startPlugin({
      resource: RESOURCE,
      devices: served.#list,
      allocate: () => ({}),
      prefer: (available, { size, mustInclude }) => {
        const rest = available.filter(({ id }) => !mustInclude.some((must) => must.id === id));
        return [...mustInclude, ...rest.toSorted((left, right) => (left.id < right.id ? -1 : 1))].slice(0, size);
      },
    });
    return served;
  }

  private constructor(plugins: DevicePlugins) {
    this.#plugins = plugins;
  }

  /** Replaces the devices of the case before. */
  async list(devices: RecordedCase['devices']): Promise<DevicePlugins> {
    for (const uid of this.#plugins.podUids()) await this.#plugins.unprepare(uid);
    this.#list.set(devices);
    const wanted = JSON.stringify(devices.map(({ id, numaNodes }) => [id, numaNodes]));
    await until(() => JSON.stringify(this.#plugins.givable().map(({ id, nodes }) => [id, nodes])) === wanted);
    return this.#plugins;
  }
}

async function decide(
  step: Step,
  { assigner, devices }: { readonly assigner: ResourceAssigner; readonly devices: DevicePlugins | undefined },
): Promise<Decision> {
  if ('release' in step) {
    await assigner.release(step.release);
    return {};
  }
  const { uid, spec } = step;
  const pod = podOf({ metadata: { name: uid, uid }, spec, status: { qosClass: qosClassOf({ spec }) } });
  const refusal = await assigner.admit(pod);
  if (refusal !== undefined) return { ...refusal };
  const containers = [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => {
    const { cpus, memory } = assigner.given(uid, name);
    const given = {
      cpus: formatCpuList(cpus),
      memory: memory.map(({ type, size, nodes }) => `${type} ${size} ${formatCpuList(nodes)}`).toSorted(),
      devices: (devices?.given(uid, name) ?? []).map(({ id }) => id).toSorted(),
    };
    return [name, Object.fromEntries(Object.entries(given).filter(([, value]) => value.length > 0))] as const;
  });
  return { containers: Object.fromEntries(containers) as Readonly<Record<string, GivenToContainer>> };
}

test('processors, memory and devices are given to containers, and pods rejected, as by the managers of a kubelet', async () => {
  const cases = readCases();
  expect(cases.length).toBeGreaterThanOrEqual(500);
  const wrong: string[] = [];
  const served = new Map<number, ServedDevices>();
  const devicesOf = async ({ devices }: RecordedCase, { numaNodes }: MachineTopology): Promise<DevicePlugins> => {
    const own = served.get(numaNodes.length) ?? (await ServedDevices.open(numaNodes.map(({ id }) => id)));
    served.set(numaNodes.length, own);
    return await own.list(devices);
  };
  for (const [index, recorded] of cases.entries()) {
    const topology = topologyOf(recorded);
    const devices = recorded.devices.length === 0 ? undefined : await devicesOf(recorded, topology);
    const assigner = await ResourceAssigner.open({
      options: recorded.options,
      topology,
      reserved: RESERVED,
      checkpoints: new MemoryCheckpoints(),
      providers: devices === undefined ? [] : [devices],
      clock: new VirtualClock(),
      metrics: assignmentMetrics(),
    });
    for (const [at, step] of recorded.steps.entries()) {
      const decision = await decide(step, { assigner, devices });
      const expected = recorded.decisions[at];
      if (JSON.stringify(sorted(decision)) === JSON.stringify(sorted(expected))) continue;
      const { shape, options } = recorded;
      wrong.push(JSON.stringify({ index, at, step, shape, options, devices: recorded.devices, decision, expected }));
      break; // what follows depends on it
    }
  }
  expect(wrong).toEqual([]);
});

/** With members in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
