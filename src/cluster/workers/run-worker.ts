import { Socket } from 'node:net';
import { aborted, messageOf } from '../../base/index.ts';
import type { ControlPlane } from '../control-plane.ts';
import type { ControlPlaneOptions } from '../control-plane-options.ts';
import { startControlPlane } from '../start-control-plane.ts';
import type { StorageOptions } from '../storage-options.ts';
import { MainPaths } from './main-paths.ts';
import { MainProcess } from './main-process.ts';
import { BOARD_FD, CHANNEL_FD, type WorkOrder } from './messages.ts';

/** Upstream's defaults. */
const REQUESTS_AT_ONCE = { maxReads: 400, maxWrites: 200 };

/**
 * Serves requests for the process that started this one with a `WorkerPool`, until that says so or ends. The options are those
 * of the main process; `prepare` adds what else its server has.
 */
export async function runWorker(
  options: Omit<ControlPlaneOptions, 'signal'>,
  prepare: (plane: ControlPlane) => void = () => undefined,
): Promise<void> {
  const main = new MainProcess(options.clock);
  const order = await main.order;
  try {
    await using plane = await startControlPlane(workerOptions(options, order, main));
    prepare(plane);
    if (order.isDraining) plane.drain();
    main.serves(plane, plane.address);
    await aborted(main.stop);
  } catch (error) {
    main.failed(messageOf(error));
  }
  main.leave();
}

function workerOptions(
  { workers: _, joinToken: __, ...options }: Omit<ControlPlaneOptions, 'signal'>,
  order: WorkOrder,
  main: MainProcess,
): ControlPlaneOptions {
  const { audit, limits, paths = [] } = options;
  const share = (requests: number): number => Math.ceil(requests / order.workers);
  const { maxReads, maxWrites } = { ...REQUESTS_AT_ONCE, ...limits };
  const to = { write: (text: string) => main.audit(text), [Symbol.asyncDispose]: () => Promise.resolve() };
  return {
    ...options,
    listen: order.place,
    storage: storageOf(options.storage, order),
    worksWith: order.pki,
    limits: { ...limits, maxReads: share(maxReads), maxWrites: share(maxWrites) },
    paths: [new MainPaths(main), ...paths],
    ...(audit?.log === undefined ? {} : { audit: { ...audit, log: { ...audit.log, to } } }),
    signal: main.stop,
  };
}

function storageOf(storage: StorageOptions, { hasStore, hasBoard }: WorkOrder): StorageOptions {
  if (!hasStore) return storage;
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  return { type: 'channel', channel, ...(hasBoard ? { boardFd: BOARD_FD } : {}) };
}
