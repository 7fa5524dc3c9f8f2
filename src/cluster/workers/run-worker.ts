import { Socket } from 'node:net';
import { serviceUnavailable } from '../../api/index.ts';
import type { Answer, Call, PathHandler } from '../../apiserver/index.ts';
import { aborted, messageOf } from '../../base/index.ts';
import type { ControlPlaneOptions } from '../control-plane-options.ts';
import type { ControlPlane } from '../control-plane.ts';
import { SCHEDULING_PREFIX } from '../scheduling-paths.ts';
import { startControlPlane } from '../start-control-plane.ts';
import type { StorageOptions } from '../storage-options.ts';
import { MainProcess } from './main-process.ts';
import { BOARD_FD, CHANNEL_FD, type WorkOrder } from './messages.ts';
import { withLog } from './one-audit-log.ts';

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
  options: Omit<ControlPlaneOptions, 'signal'>,
  order: WorkOrder,
  main: MainProcess,
): ControlPlaneOptions {
  const { access, extensions, serving: { workers: _, joinToken: __, ...serving } = {} } = options;
  const share = (requests: number): number => Math.ceil(requests / order.workers);
  const { maxReads, maxWrites } = { ...REQUESTS_AT_ONCE, ...serving.limits };
  const to = { write: (text: string) => main.audit(text), [Symbol.asyncDispose]: () => Promise.resolve() };
  return {
    ...options,
    storage: storageOf(options.storage, order),
    serving: {
      ...serving,
      listen: order.place,
      worksWith: order.pki,
      limits: { ...serving.limits, maxReads: share(maxReads), maxWrites: share(maxWrites) },
    },
    extensions: { ...extensions, paths: [new MainPaths(main), ...(extensions?.paths ?? [])] },
    ...(access?.audit?.log === undefined ? {} : { access: withLog(access, { ...access.audit.log, to }) }),
    signal: main.stop,
  };
}

function storageOf(storage: StorageOptions, { hasStore, hasBoard }: WorkOrder): StorageOptions {
  if (!hasStore) return storage;
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  const { encryption, eventTtl } = storage;
  const form = {
    ...(encryption === undefined ? {} : { encryption }),
    ...(eventTtl === undefined ? {} : { eventTtl }),
  };
  return { ...form, type: 'channel', channel, ...(hasBoard ? { boardFd: BOARD_FD } : {}) };
}

/** Passes requests on that are about all processes of a server, or about the programs in the main one. */
class MainPaths implements PathHandler {
  readonly #main: MainProcess;

  constructor(main: MainProcess) {
    this.#main = main;
  }

  async handle(call: Call): Promise<Answer | undefined> {
    const { method, path } = call.request;
    if (method !== 'GET' || (path !== '/metrics' && !path.startsWith(SCHEDULING_PREFIX))) return undefined;
    const answer = await this.#main.request(path, call.request.header('accept') ?? '');
    if (answer === undefined) throw serviceUnavailable('the main process does not answer');
    const { status, text, contentType, headers } = answer;
    return { type: 'bytes', code: status, contentType, body: text, ...(headers === undefined ? {} : { headers }) };
  }
}
