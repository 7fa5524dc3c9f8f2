import { join } from 'node:path';
import {
  type ActionExecutor,
  FileLogs,
  NetworkActions,
  type NodeBackend,
  type OpenNodeBackend,
  UNLIMITED,
  type UsageSource,
} from '../node/index.ts';
import { SIMULATED_VOLUMES, simulatedBackend, type SimulatedBackendOptions } from '../simulated/index.ts';
import { processFiles } from './process-files.ts';
import { processImages } from './process-images.ts';
import type { NodeProcesses, ProcessHost } from './process-host.ts';
import { ProcessPods } from './process-pods.ts';
import { ProcessRuntime } from './process-runtime.ts';
import { processVolumes } from './process-volumes.ts';

/** A backend whose containers are processes of this machine where the host has a command for their image; all others are simulated. */
export function processBackend(host: ProcessHost, options: SimulatedBackendOptions = {}): OpenNodeBackend {
  return async (settings, context) => {
    const { clock, random } = context;
    const root = join(host.folder, 'nodes', settings.name);
    const folders = { root, podLogs: join(root, 'logs') };
    const simulated = await simulatedBackend({ ...options, folders })(settings, context);
    const { machine, devices, polling } = simulated;
    const images = processImages(simulated.images, host.options.commands);
    const node = host.node(settings.name);
    const pods = new ProcessPods(host.options.commands);
    const runtime = new ProcessRuntime({ host, node, pods, machine, simulated, clock, random });
    const isRunning = async (id: string): Promise<boolean> => node.containers.get(id)?.state === 'CONTAINER_RUNNING';
    const fileLogs = new FileLogs(clock, isRunning);
    const files = processFiles({ ...folders, isProcessPod: (uid) => pods.has(uid), others: simulated.files });
    return {
      machine,
      runtime,
      images,
      volumes: simulated.volumes.map((others) => {
        if (others.name !== SIMULATED_VOLUMES) return others; // volumes of drivers are folders of this machine already
        const persistent = join(root, 'persistent');
        return processVolumes({ root, persistent, isProcessPod: (pod) => pods.isProcessPod(pod), others });
      }),
      files: {
        ...files,
        async removePod(podUid) {
          await files.removePod(podUid);
          pods.forget(podUid);
        },
      },
      devices,
      resources: UNLIMITED,
      logs: {
        entries: (container, query) =>
          (node.containers.has(container.id) ? fileLogs : simulated.logs).entries(container, query),
      },
      actions: processActions({ node, runtime, simulated, network: new NetworkActions(runtime, clock) }),
      usage: processUsage(runtime, { node, simulated }),
      polling,
      meter: undefined,
      tasks: simulated.tasks,
      podUpdated: (pod) => simulated.podUpdated(pods.update(pod)),
      async [Symbol.asyncDispose]() {
        runtime.close();
        await simulated[Symbol.asyncDispose]();
      },
    } satisfies NodeBackend;
  };
}

interface ActionParts {
  readonly node: NodeProcesses;
  readonly runtime: ProcessRuntime;
  readonly simulated: NodeBackend;
  readonly network: NetworkActions;
}

/** Probes and hooks of processes are carried out, at the address that their pod has on this machine. */
function processActions({ node, runtime, simulated, network }: ActionParts): ActionExecutor {
  return {
    readiness: (container) =>
      node.containers.has(container.id) ? network.readiness() : simulated.actions.readiness(container),
    run(action, target, options) {
      const container = node.containers.get(target.containerId);
      if (container === undefined) return simulated.actions.run(action, target, options);
      return network.run(action, { ...target, podIp: runtime.addressOf(container.podUid) }, options);
    },
  };
}

/** What processes really use, beside what simulated containers are said to use. */
function processUsage(
  runtime: ProcessRuntime,
  { node, simulated }: Pick<ActionParts, 'node' | 'simulated'>,
): UsageSource {
  return {
    async read(all, object) {
      const { whole, containers } = await simulated.usage.read(all, object);
      const stats = await runtime.containerStats({ state: 'CONTAINER_RUNNING' });
      const own = stats.filter(({ id }) => node.containers.has(id));
      return {
        whole: {
          ...whole,
          usageCoreNanoSeconds: own.reduce((sum, each) => sum + each.usageCoreNanoSeconds, whole.usageCoreNanoSeconds),
          workingSetBytes: own.reduce((sum, each) => sum + each.workingSetBytes, whole.workingSetBytes),
        },
        containers: new Map([...containers, ...own.map((each) => [each.id, each] as const)]),
      };
    },
  };
}
