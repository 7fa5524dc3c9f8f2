import { messageOf } from '../base/index.ts';
import type { ApiServer, Resource } from '../apiserver/index.ts';
import { type Condition, type Definition, isConditionTrue } from './conditions.ts';

/** How long to wait for finalizers before reporting what blocks the deletion. */
const PATIENCE_MS = 60_000;

/** The outcome of deleting the objects of a definition. */
export interface Cleanup {
  readonly condition: Condition;
  /** Nothing is left; otherwise it has to be retried. */
  readonly isDone: boolean;
}

export interface CleanupOptions {
  readonly server: ApiServer;
  /** The kind as it is stored; undefined where the definition's kind is a built-in one. */
  readonly stored: Resource | undefined;
  readonly signal: AbortSignal;
}

/** Deletes all objects of a definition and waits until they are gone. */
export async function deleteInstances(definition: Definition, options: CleanupOptions): Promise<Cleanup> {
  const { server, stored, signal } = options;
  if (stored === undefined) {
    return over('OverlappingBuiltInResource', 'instances overlap with built-in resources in storage');
  }
  if (!isConditionTrue(definition, 'Established')) return over('NeverEstablished', 'resource was never established');
  try {
    await server.deleteAll(stored, signal);
  } catch (error) {
    return stuck('InstanceDeletionFailed', `could not issue all deletes: ${messageOf(error)}`);
  }
  if (await isEmptied(stored, options)) return over('InstanceDeletionCompleted', 'removed all instances');
  const message = 'could not confirm zero CustomResources remaining: context deadline exceeded';
  return stuck('InstanceDeletionCheck', message);
}

function over(reason: string, message: string): Cleanup {
  return { condition: { type: 'Terminating', status: 'False', reason, message }, isDone: true };
}

function stuck(reason: string, message: string): Cleanup {
  return { condition: { type: 'Terminating', status: 'True', reason, message }, isDone: false };
}

async function isEmptied({ group, plural }: Resource, { server, signal }: CleanupOptions): Promise<boolean> {
  const objects = server.objects.of(group, plural);
  const isEmpty = async (): Promise<boolean> => (await objects.newestList()).length === 0;
  if (await isEmpty()) return true;
  const done = new AbortController();
  using _ = objects.onChange(({ current }) => {
    if (current === undefined) void isEmpty().then((empty) => empty && done.abort(), ignore);
  });
  const { clock } = server.services;
  await clock.sleep(PATIENCE_MS, AbortSignal.any([signal, done.signal])).catch(ignore);
  return isEmpty();
}

/** Failures show in the last check. */
function ignore(): void {}
