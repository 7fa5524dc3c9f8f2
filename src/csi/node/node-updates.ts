import { type Clock, type Logger, messageOf, type Runnable } from '../../base/index.ts';
import type { DriverObjects } from './driver-objects.ts';
import type { NodeDrivers } from './node-drivers.ts';
import type { NodeInfo } from './node-info.ts';

/** How often the node looks for drivers whose limits change. Drivers may ask for any period from 10 seconds on. */
const LOOK_MS = 10_000;
const RETRY_MS = 1000;

export interface NodeUpdatesParts {
  readonly drivers: NodeDrivers;
  readonly objects: DriverObjects;
  readonly nodeInfo: NodeInfo;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Creates the CSINode, and asks drivers with `nodeAllocatableUpdatePeriodSeconds` again how many volumes may be attached to the node. When
 * it is stopped, so are all calls of drivers: an agent that stops does not wait for a driver that hangs.
 */
export class NodeUpdates implements Runnable {
  readonly #parts: NodeUpdatesParts;
  readonly #askedMs = new Map<string, number>();

  constructor(parts: NodeUpdatesParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#run(signal);
    } finally {
      await this.#parts.drivers[Symbol.asyncDispose]();
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log, nodeInfo } = this.#parts;
    for (let isThere = false; !isThere && !signal.aborted;) {
      try {
        await nodeInfo.initialize(signal);
        isThere = true;
      } catch (error) {
        if (signal.aborted) return;
        log.warn('CSINode is not initialized yet', { error: messageOf(error) });
        await clock.sleep(RETRY_MS, signal);
      }
    }
    while (!signal.aborted) {
      await clock.sleep(LOOK_MS, signal);
      for (const name of this.#parts.drivers.names())
        await this.#update(name, signal).catch((error: unknown) => {
          if (!signal.aborted) log.warn('limits of CSI driver are not updated', { driver: name, error });
        });
    }
  }

  async #update(name: string, signal: AbortSignal): Promise<void> {
    const { clock, drivers, objects, nodeInfo } = this.#parts;
    if (signal.aborted) return;
    const { nodeAllocatableUpdatePeriodSeconds: seconds } = (await objects.driver(name, signal))?.spec ?? {};
    if (seconds === undefined) {
      this.#askedMs.delete(name);
      return;
    }
    const nowMs = clock.monotonic();
    const askedMs = this.#askedMs.get(name);
    if (askedMs === undefined) this.#askedMs.set(name, nowMs);
    if (askedMs === undefined || nowMs - askedMs < seconds * 1000) return;
    this.#askedMs.set(name, nowMs);
    await nodeInfo.update(name, await drivers.client(name).info(signal), signal);
  }
}
