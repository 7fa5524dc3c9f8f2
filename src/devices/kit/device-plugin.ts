import { isExtendedResource } from '../../api/meaning/index.ts';
import { discardLogger, type Logger, messageOf } from '../../base/index.ts';
import { GrpcError, type ServedMethod, streamMethod, unaryMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import * as protocol from '../protocol/device-plugin-v1beta1.ts';
import { DeviceList, type PluginDevice } from './device-list.ts';
import { PluginRun, type ServedDevicePlugin } from './plugin-run.ts';

/** How a container uses the devices that it was given. */
export interface DeviceAccess {
  readonly env?: Readonly<Record<string, string>>;
  /** Device files of the machine. */
  readonly devices?: readonly {
    readonly hostPath: string;
    /** Default the path on the machine. */
    readonly containerPath?: string;
    /** Any of `r`, `w` and `m`; default `rw`. */
    readonly permissions?: string;
  }[];
  readonly mounts?: readonly {
    readonly hostPath: string;
    /** Default the path on the machine. */
    readonly containerPath?: string;
    readonly readOnly?: boolean;
  }[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Names of the Container Device Interface: `vendor.com/class=name`. */
  readonly cdiDevices?: readonly string[];
}

/** A call of the node. */
export interface PluginCall {
  /** Aborts when the node no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Which devices a container could get, so that the plugin may choose. */
export interface PreferenceRequest extends PluginCall {
  /** How many devices the container asks for. */
  readonly size: number;
  /** Devices that have to be among the chosen ones. */
  readonly mustInclude: readonly PluginDevice[];
}

/** A device plugin: the resource, its devices, and what a container gets with them. */
export interface DevicePluginDefinition {
  /** As pods ask for it: `example.com/fpga`. */
  readonly resource: string;
  /** The devices of the machine; a `DeviceList` where they or their health change. */
  readonly devices: readonly PluginDevice[] | DeviceList;
  /** Lets a container use these devices. An error rejects the pod. */
  allocate(devices: readonly PluginDevice[], call: PluginCall): DeviceAccess | Promise<DeviceAccess>;
  /** Chooses some of the available devices, such as ones that are near to each other. */
  readonly prefer?: (
    available: readonly PluginDevice[],
    request: PreferenceRequest,
  ) => readonly PluginDevice[] | Promise<readonly PluginDevice[]>;
  /** Called before each start of a container, within 30 seconds, such as to reset the devices. An error keeps the container from starting. */
  readonly beforeStart?: (devices: readonly PluginDevice[], call: PluginCall) => void | Promise<void>;
}

/** Where a device plugin finds its node, and where it logs. */
export interface DevicePluginOptions {
  /** The folder of the node's agent; default `/var/lib/kubelet`. */
  readonly kubeletDir?: string;
  /** Default nothing is logged. */
  readonly log?: Logger;
}

/** A device plugin that can be served to a node. */
export interface DevicePlugin {
  readonly resource: string;
  readonly devices: DeviceList;
  /** Serves the plugin until its `run` is aborted, and registers it again whenever the node's agent was restarted. */
  serve(options?: DevicePluginOptions): ServedDevicePlugin;
  /** Serves the plugin until it is disposed; resolves when it has registered. For tests. */
  start(options?: DevicePluginOptions): Promise<AsyncDisposable>;
}

/**
 * A device plugin from a list of devices and a function. Registering, registering again, the options that the plugin announces and checks of
 * what the node asks are handled here.
 *
 * Example: `await devicePlugin({ resource: 'example.com/fpga', devices, allocate }).serve().run(signal)`
 */
export function devicePlugin(definition: DevicePluginDefinition): DevicePlugin {
  const { resource } = definition;
  if (!isExtendedResource(resource))
    throw new TypeError(`Not a name of a resource of devices: "${resource}" (such as example.com/fpga)`);
  const devices = definition.devices instanceof DeviceList ? definition.devices : new DeviceList(definition.devices);
  const methods = (ending: AbortSignal): readonly ServedMethod[] => methodsOf(definition, devices, ending);
  const options = optionsOf(definition);
  const serve = ({ kubeletDir = '/var/lib/kubelet', log = discardLogger }: DevicePluginOptions = {}): PluginRun =>
    new PluginRun({ resource, methods, options, kubeletDir, log });
  return {
    resource,
    devices,
    serve,
    async start(how) {
      const run = serve(how);
      const stop = new AbortController();
      const running = run.run(stop.signal);
      await Promise.race([run.registered(), running]);
      return {
        async [Symbol.asyncDispose]() {
          stop.abort();
          await running;
        },
      };
    },
  };
}

function optionsOf({ prefer, beforeStart }: DevicePluginDefinition): MessageOf<typeof protocol.devicePluginOptions> {
  return { preStartRequired: beforeStart !== undefined, getPreferredAllocationAvailable: prefer !== undefined };
}

/** Streams end when `ending` aborts. */
function methodsOf(definition: DevicePluginDefinition, list: DeviceList, ending: AbortSignal): readonly ServedMethod[] {
  const { DevicePlugin: methods } = protocol;
  const known = (ids: readonly string[] = []): readonly PluginDevice[] =>
    ids.map((id) => {
      const device = list.get(id);
      if (device === undefined)
        throw new GrpcError('NOT_FOUND', `there is no device "${id}" of ${definition.resource}`);
      return device;
    });
  return [
    unaryMethod(methods.getDevicePluginOptions, async () => optionsOf(definition)),
    streamMethod(methods.listAndWatch, async function* (_requests, { signal }) {
      for await (const devices of list.follow(AbortSignal.any([signal, ending])))
        yield { devices: devices.map(deviceMessage) };
    }),
    unaryMethod(methods.allocate, async ({ containerRequests = [] }, { signal }) => {
      const answers: MessageOf<typeof protocol.containerAllocateResponse>[] = [];
      for (const { devicesIds } of containerRequests) {
        const devices = known(devicesIds);
        answers.push(accessMessage(await answered(() => definition.allocate(devices, { signal }))));
      }
      return { containerResponses: answers };
    }),
    unaryMethod(methods.getPreferredAllocation, async ({ containerRequests = [] }, { signal }) => {
      const { prefer } = definition;
      if (prefer === undefined) throw new GrpcError('UNIMPLEMENTED', 'the plugin has no preference');
      const answers: MessageOf<typeof protocol.containerPreferredAllocationResponse>[] = [];
      for (const { availableDeviceIDs, mustIncludeDeviceIDs, allocationSize: size = 0 } of containerRequests) {
        const request = { size, mustInclude: known(mustIncludeDeviceIDs), signal };
        const chosen = await answered(() => prefer(known(availableDeviceIDs), request));
        answers.push({ deviceIDs: chosen.map(({ id }) => id) });
      }
      return { containerResponses: answers };
    }),
    unaryMethod(methods.preStartContainer, async ({ devicesIds }, { signal }) => {
      const devices = known(devicesIds);
      await answered(() => definition.beforeStart?.(devices, { signal }));
      return {};
    }),
  ];
}

/** An error of the plugin's own code reaches the node with its words. */
async function answered<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof GrpcError ? error : new GrpcError('UNKNOWN', messageOf(error), { cause: error });
  }
}

function deviceMessage({ id, isHealthy = true, numaNodes = [] }: PluginDevice): MessageOf<typeof protocol.device> {
  const topology = numaNodes.length === 0 ? {} : { topology: { nodes: numaNodes.map((node) => ({ id: node })) } };
  return { id, health: isHealthy ? 'Healthy' : 'Unhealthy', ...topology };
}

function accessMessage(access: DeviceAccess): MessageOf<typeof protocol.containerAllocateResponse> {
  const { env = {}, devices = [], mounts = [], annotations = {}, cdiDevices = [] } = access;
  return {
    envs: new Map(Object.entries(env)),
    annotations: new Map(Object.entries(annotations)),
    devices: devices.map(({ hostPath, containerPath = hostPath, permissions = 'rw' }) => ({
      ...{ hostPath, containerPath, permissions },
    })),
    mounts: mounts.map(({ hostPath, containerPath = hostPath, readOnly = false }) => ({
      ...{ hostPath, containerPath, readOnly },
    })),
    cdiDevices: cdiDevices.map((name) => ({ name })),
  };
}
