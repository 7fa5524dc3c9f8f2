import { aborted, CryptoRandom, discardLogger, type Logger, RealClock, type Runnable } from '../../base/index.ts';
import { CriServer } from '../server/cri-server.ts';
import type { ServedRuntime } from '../server/served-runtime.ts';

/** Where a container runtime is served. */
export interface ServedAt {
  /** The socket that a kubelet is given: `unix:///run/mine/cri.sock`. */
  readonly listen: string;
  /** Where exec, attach and port-forward are served, over plain HTTP; default a free port of 127.0.0.1. */
  readonly streaming?: { readonly host: string; readonly port: number };
  /** Default nothing is logged. */
  readonly log?: Logger;
}

/** A container runtime that waits for kubelets. */
export interface RunningCriServer extends Runnable {
  /** Serves until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the socket is there; rejects when it cannot be. */
  listening(): Promise<void>;
}

/**
 * Serves a container runtime to kubelets, crictl and other clients of the Container Runtime Interface v1.
 *
 * Example: `await criServer(criRuntime({ … }), { listen: 'unix:///tmp/mine.sock' }).run(signal)`
 */
export function criServer(runtime: ServedRuntime, { log = discardLogger, ...place }: ServedAt): RunningCriServer {
  let isThere: () => void = () => undefined;
  let failed: (error: unknown) => void = () => undefined;
  const listening = new Promise<void>((resolve, reject) => ([isThere, failed] = [resolve, reject]));
  listening.catch(() => undefined); // run() rejects as well
  return {
    listening: () => listening,
    async run(signal) {
      const parts = { ...place, clock: new RealClock(), random: new CryptoRandom(), log };
      const listened = CriServer.listen(runtime, parts);
      listened.then(isThere, failed);
      await using _server = await listened;
      await aborted(signal);
    },
  };
}
