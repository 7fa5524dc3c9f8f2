import { chmod } from 'node:fs/promises';
import type { Clock, Logger, Random } from '../../base/index.ts';
import { GrpcServer, parseAddress, removeStaleSocket } from '../../wire/grpc/index.ts';
import { ContainerExits } from './container-exits.ts';
import { containerMethods } from './container-methods.ts';
import { imageMethods } from './image-methods.ts';
import { KeptConfigs } from './kept-configs.ts';
import { LogFiles } from './log-files.ts';
import { runtimeMethods } from './runtime-methods.ts';
import { sandboxMethods } from './sandbox-methods.ts';
import { ServedIds } from './served-ids.ts';
import type { ServedRuntime } from './served-runtime.ts';
import type { ServerParts } from './server-parts.ts';
import { statsMethods } from './stats-methods.ts';
import { StreamingServer } from './streaming-server.ts';

export interface CriServerOptions {
  /** Such as `unix:///run/keelson/cri.sock`. */
  readonly listen: string;
  /** Where exec, attach and port-forward are served, over plain HTTP; default a free port of 127.0.0.1. */
  readonly streaming?: { readonly host: string; readonly port: number };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** As clients of the interface allow, too. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** A kubelet has one connection; each pod may have a call on it, and calls that stop containers take long. */
const MAX_CALLS = 20_000;
/** Clients of the socket can run commands in every container. */
const SOCKET_MODE = 0o660;

/** Serves a container runtime as the Container Runtime Interface v1, over gRPC on a unix socket. */
export class CriServer implements AsyncDisposable {
  readonly #grpc: GrpcServer;
  readonly #streaming: StreamingServer;
  readonly #logFiles: LogFiles | undefined;

  static async listen(served: ServedRuntime, options: CriServerOptions): Promise<CriServer> {
    const { listen, streaming: place = { host: '127.0.0.1', port: 0 }, clock, random, log } = options;
    const address = parseAddress(listen);
    if (address.type !== 'unix')
      throw new TypeError(`Cannot serve a container runtime at "${listen}": need unix:///PATH`);
    await removeStaleSocket(address.path);
    const streaming = await StreamingServer.listen({ ...place, clock, random, log });
    const kept = new KeptConfigs();
    const logFiles = served.logs === undefined ? undefined : new LogFiles(served.logs, log);
    const parts: ServerParts = {
      ...served,
      clock,
      log,
      kept,
      ids: new ServedIds(served.runtime, kept),
      streaming,
      logFiles,
      exits: new ContainerExits({
        kept,
        logFiles,
        log,
        ...(served.terminationMessage === undefined ? {} : { terminationMessage: served.terminationMessage }),
      }),
    };
    try {
      const grpc = await GrpcServer.listen({
        address: listen,
        methods: [runtimeMethods, sandboxMethods, containerMethods, statsMethods, imageMethods].flatMap((methods) =>
          methods(parts),
        ),
        clock,
        log,
        limits: { maxReceiveBytes: MAX_MESSAGE_BYTES, maxCalls: MAX_CALLS },
      });
      await chmod(address.path, SOCKET_MODE);
      return new CriServer(grpc, streaming, logFiles);
    } catch (error) {
      await streaming[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(grpc: GrpcServer, streaming: StreamingServer, logFiles: LogFiles | undefined) {
    this.#grpc = grpc;
    this.#streaming = streaming;
    this.#logFiles = logFiles;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#logFiles?.[Symbol.dispose]();
    await this.#streaming[Symbol.asyncDispose]();
    await this.#grpc[Symbol.asyncDispose]();
  }
}
