import { type Random, VirtualClock } from '../../base/index.ts';
import type { Transport } from '../../client/index.ts';
import { type ControlPlane, inProcessCall } from '../../cluster/index.ts';
import type { PastView } from './past-view.ts';

export interface OpenPastOptions {
  readonly nowMs: number;
  readonly random: Random;
  /** Receives a promise that resolves when the view has been closed. */
  readonly onEnd: (ended: Promise<void>) => void;
}

/** Copies a control plane as it is now; time stands still in the copy. */
export function openPast(plane: ControlPlane, { nowMs, random, onEnd }: OpenPastOptions): PastView {
  const stop = new AbortController();
  const clock = new VirtualClock({ startMs: nowMs });
  const copy = plane.fork({ clock, random, signal: stop.signal, local: { interfere: (call, next) => next(call) } });
  const transports = new Map<string, Transport>();
  return {
    transportOf: (user, groups) => {
      const id = JSON.stringify([user, groups]);
      const known = transports.get(id);
      if (known !== undefined) return known;
      let made: Transport | undefined;
      copy.client({ user, groups }, { wrapTransport: (transport) => (made = transport) });
      if (made === undefined) throw new Error('Unreachable: every client has a transport');
      transports.set(id, made);
      return made;
    },
    answer: async ({ request, principal }) => {
      const { method, uri: path } = request;
      const { name: commonName, groups: organizations } = principal.user;
      return copy.server.answer(inProcessCall({ method, path, certificate: { commonName, organizations }, clock }));
    },
    [Symbol.dispose]: () => {
      stop.abort();
      onEnd(copy[Symbol.asyncDispose]());
    },
  };
}
