import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  aborted,
  type Clock,
  CryptoRandom,
  discardLogger,
  type Logger,
  RealClock,
  type Runnable,
} from '../../base/index.ts';
import { servePluginSocket } from '../../plugins/index.ts';
import { parseAddress } from '../../wire/grpc/index.ts';
import { listenCsi } from '../server/csi-server.ts';
import type { CsiDriverDefinition } from './driver-definition.ts';

export interface CsiDriverOptions {
  /** The socket that sidecars and kubelets are given: `unix:///csi/csi.sock`. */
  readonly listen: string;
  /**
   * Registers the driver with the agent of its node, as the sidecar node-driver-registrar does: the folder in which the agent looks for
   * plugins, such as `/var/lib/kubelet/plugins_registry`. Default: something else does that.
   */
  readonly registerIn?: string;
  /** Default nothing is logged. */
  readonly log?: Logger;
}

/** A CSI driver that can be served. */
export interface CsiDriver {
  readonly name: string;
  /** Serves the driver until its `run` is aborted; `listening` resolves when the socket is there. */
  serve(options: CsiDriverOptions): Runnable & { listening(): Promise<void> };
}

const NAME = /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,61}[a-zA-Z0-9])?$/;

/**
 * A CSI driver from a few functions. Capabilities follow from which of them exist; names that are taken, repeated calls, calls at the same
 * time, pages and the codes of errors are handled here.
 *
 * Example: `await csiDriver({ name: 'dir.example.com', version: '1', controller, node }).serve({ listen }).run(signal)`
 */
export function csiDriver(definition: CsiDriverDefinition): CsiDriver {
  const { name, controller, node } = definition;
  if (!NAME.test(name))
    throw new TypeError(`Not a name of a CSI driver: "${name}" (at most 63 letters, digits, "-" and ".")`);
  if (controller === undefined && node === undefined)
    throw new TypeError(`CSI driver "${name}" has neither a controller nor a node`);
  if (controller?.snapshot !== undefined && controller.deleteSnapshot === undefined)
    throw new TypeError(`CSI driver "${name}" takes snapshots and cannot delete them: add deleteSnapshot`);
  if (controller?.attach !== undefined && controller.detach === undefined)
    throw new TypeError(`CSI driver "${name}" attaches volumes and cannot detach them: add detach`);
  if (node?.stage !== undefined && node.unstage === undefined)
    throw new TypeError(`CSI driver "${name}" stages volumes and cannot unstage them: add unstage`);
  return {
    name,
    serve({ listen, registerIn, log = discardLogger }) {
      let isThere: () => void = () => undefined;
      let failed: (error: unknown) => void = () => undefined;
      const listening = new Promise<void>((resolve, reject) => ([isThere, failed] = [resolve, reject]));
      listening.catch(() => undefined); // run() rejects as well
      return {
        listening: () => listening,
        async run(signal) {
          const clock = new RealClock();
          try {
            await using _server = await listenCsi(definition, { listen, clock, random: new CryptoRandom(), log });
            await using _registration =
              registerIn === undefined ? undefined : await registration({ name, listen, registerIn, clock, log });
            isThere();
            await aborted(signal);
          } catch (error) {
            failed(error);
            throw error;
          }
        },
      };
    },
  };
}

/** The socket through which the agent of the node learns of the driver. */
async function registration({
  name,
  listen,
  registerIn,
  clock,
  log,
}: {
  readonly name: string;
  readonly listen: string;
  readonly registerIn: string;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<AsyncDisposable> {
  await mkdir(registerIn, { recursive: true });
  return await servePluginSocket({
    socket: join(registerIn, `${name}-reg.sock`),
    type: 'CSIPlugin',
    name,
    endpoint: socketPath(listen),
    versions: ['1.0.0'],
    clock,
    log,
    notified: ({ isRegistered, error }) => {
      if (isRegistered) log.info('driver is registered on its node', { driver: name });
      else log.warn('driver is not registered on its node', { driver: name, error });
    },
  });
}

function socketPath(listen: string): string {
  const address = parseAddress(listen);
  if (!('path' in address))
    throw new TypeError(`Cannot register a driver that listens on "${listen}": not a unix socket`);
  return address.path;
}
