import { CryptoRandom, discardLogger, type Logger, RealClock } from '../../base/index.ts';
import type { ImageService, RuntimeService } from '../../node/index.ts';
import { CriCalls } from '../cri-calls.ts';
import { CriImages } from '../cri-images.ts';
import { CriRuntime } from '../cri-runtime.ts';

/** A container runtime behind a socket. Disposing closes the connection; containers keep running. */
export interface CriClient extends AsyncDisposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/**
 * Connects to a container runtime, such as containerd, when it is first called. Refusals are RuntimeErrors.
 *
 * Example: `await using client = criClient('unix:///run/containerd/containerd.sock')`
 */
export function criClient(endpoint: string, { log = discardLogger }: { readonly log?: Logger } = {}): CriClient {
  const calls = new CriCalls({ endpoint, clock: new RealClock(), random: new CryptoRandom(), log });
  return {
    runtime: new CriRuntime(endpoint, calls),
    images: new CriImages(calls),
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}
