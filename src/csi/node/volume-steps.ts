// The steps of a mount, and how events name what has failed.
import { messageOf } from '../../base/index.ts';
import { VolumeStepError } from '../../node/index.ts';
import type { CsiNodeClient } from './node-client.ts';
import type { NodeDrivers } from './node-drivers.ts';
import { CSI } from './volume-paths.ts';

/** The client of a driver; `what` is what fails when the driver is not registered. */
export function clientOf(drivers: NodeDrivers, name: string, what: string): CsiNodeClient {
  try {
    return drivers.client(name);
  } catch (error) {
    throw failure(`${what}: ${messageOf(error)}`, error);
  }
}

export function failure(message: string, cause?: unknown): Error {
  return new Error(`${CSI}: ${message}`, { cause });
}

/** Runs a step of a mount; events name the step that failed. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new VolumeStepError(name, messageOf(error), { cause: error });
  }
}
