import { discardLogger, type Logger } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { ClaimWork } from './dra-claims.ts';
import type { DraDevice } from './dra-device.ts';
import { DevicePools } from './dra-pools.ts';
import { DraRun, type ServedDraDriver } from './dra-run.ts';

/** A DRA driver: its name, its devices, and what containers get with them. */
export interface DraDriverDefinition extends ClaimWork {
  /** As classes and claims name it: `gpu.example.com`. */
  readonly name: string;
  /** The devices of the machine; `DevicePools` where they or their health change, or where there are several pools. */
  readonly devices: readonly DraDevice[] | DevicePools;
  /**
   * Called with the devices of each request of a claim before the first container that uses them starts; says what these containers get. It may be called again
   * for the same claim. An error becomes an event of the pod, and the node tries again.
   */
  readonly prepare: ClaimWork['prepare'];
  /** Called when the last pod with the claim has ended, with all its devices. It may be called again. */
  readonly unprepare?: NonNullable<ClaimWork['unprepare']>;
}

/** Where a DRA driver finds its cluster and its node, and where it logs. */
export interface DraDriverOptions {
  /** Default the cluster that kubectl uses, or in a pod that of the pod. */
  readonly client?: Client;
  /** Default the variable `NODE_NAME`. */
  readonly nodeName?: string;
  /** The folder of the node's agent; default `/var/lib/kubelet`. */
  readonly kubeletDir?: string;
  /** Where the container runtime looks for files of the Container Device Interface; default `/var/run/cdi`. */
  readonly cdiDir?: string;
  /** Default nothing is logged. */
  readonly log?: Logger;
}

/** A DRA driver that can be served to a node. */
export interface DraDriver {
  readonly name: string;
  readonly devices: DevicePools;
  /** Serves the driver until its `run` is aborted. */
  serve(options?: DraDriverOptions): ServedDraDriver;
  /** Serves the driver until it is disposed; resolves when it is registered and its devices are published. For tests. */
  start(options?: DraDriverOptions): Promise<AsyncDisposable>;
}

const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const MAX_NAME = 63;

/**
 * A DRA driver from a list of devices and a function. Slices of the node, registering, both versions of the protocol, files of the Container Device
 * Interface, the health of devices and what has to be undone after a crash are handled here.
 *
 * Example: `await draDriver({ name: 'gpu.example.com', devices, prepare }).serve().run(signal)`
 */
export function draDriver(definition: DraDriverDefinition): DraDriver {
  const { name } = definition;
  if (!NAME.test(name) || name.length > MAX_NAME)
    throw new TypeError(`Not a name of a DRA driver: "${name}" (such as gpu.example.com)`);
  const pools = definition.devices instanceof DevicePools ? definition.devices : new DevicePools(definition.devices);
  const serve = ({ client, ...options }: DraDriverOptions = {}): ServedDraDriver => {
    const { nodeName = process.env['NODE_NAME'] ?? '', log = discardLogger } = options;
    const { kubeletDir = '/var/lib/kubelet', cdiDir = '/var/run/cdi' } = options;
    if (nodeName === '') throw new Error('Cannot serve the DRA driver: the name of its node is not known (NODE_NAME)');
    return new DraRun({ name, pools, work: definition, client, nodeName, kubeletDir, cdiDir, log });
  };
  return {
    name,
    devices: pools,
    serve,
    async start(options) {
      const run = serve(options);
      const stop = new AbortController();
      const running = run.run(stop.signal);
      await Promise.race([run.ready(), running]);
      return {
        async [Symbol.asyncDispose]() {
          stop.abort();
          await running;
        },
      };
    },
  };
}
