import { chmod } from 'node:fs/promises';
import type { Clock, Logger, Random } from '../../base/index.ts';
import { GrpcServer, parseAddress, removeStaleSocket } from '../../wire/grpc/index.ts';
import type { CsiDriverDefinition } from '../kit/driver-definition.ts';
import { controllerMethods } from './controller-methods.ts';
import { groupMethods } from './group-methods.ts';
import { identityMethods } from './identity-methods.ts';
import { KeyedLocks } from './keyed-locks.ts';
import { nodeMethods } from './node-methods.ts';
import { snapshotMethods } from './snapshot-methods.ts';

export interface CsiServerOptions {
  /** Such as `unix:///csi/csi.sock`. */
  readonly listen: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Clients of the socket can delete every volume. */
const SOCKET_MODE = 0o660;

/** Serves a driver as the Container Storage Interface v1, over gRPC on a unix socket. */
export async function listenCsi(driver: CsiDriverDefinition, options: CsiServerOptions): Promise<AsyncDisposable> {
  const { listen, clock, random, log } = options;
  const address = parseAddress(listen);
  if (address.type !== 'unix') throw new TypeError(`Cannot serve a CSI driver at "${listen}": need unix:///PATH`);
  const { controller, node } = driver;
  const parts = controller === undefined ? undefined : { driver, controller, random, clock, locks: new KeyedLocks() };
  await removeStaleSocket(address.path);
  const server = await GrpcServer.listen({
    address: listen,
    methods: [
      ...identityMethods(driver),
      ...(parts === undefined
        ? []
        : [controllerMethods, snapshotMethods, groupMethods].flatMap((methods) => methods(parts))),
      ...(node === undefined ? [] : nodeMethods(driver, node)),
    ],
    clock,
    log,
  });
  await chmod(address.path, SOCKET_MODE);
  return server;
}
