import type { Random } from '../../../src/base/index.ts';
import { type Client, hasReason, mergePatch } from '../../../src/client/index.ts';

/** A part of the API that is used all the time, in its own namespace. */
export interface SoakArea {
  readonly namespace: string;
  /** What must be there before anything can be done. */
  begin(): Promise<void>;
  /** One random user action; returns its description. */
  act(): Promise<string>;
  /** What is wrong now that the cluster has come to rest. */
  problems(): Promise<string[]>;
}

export interface AreaParts {
  readonly client: Client;
  readonly random: Random;
}

/** Namespaces of areas begin with this. */
export const AREA_PREFIX = 'area-';
export const CONTAINER = { name: 'main', image: 'main:1' };

export function below(random: Random, limit: number): number {
  return Math.floor(random.float() * limit);
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[below(random, items.length)] as T;
}

export async function createNamespace({ core }: Client, name: string): Promise<void> {
  await core.v1.namespaces.create({ metadata: { name } });
}

/** Does it unless another client was faster. */
export async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}

export { mergePatch };
