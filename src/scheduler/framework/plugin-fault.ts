import { messageOf } from '../../base/index.ts';
import { StatusError } from '../../client/index.ts';

/** A plugin has failed. The pod is not to blame, and is tried again. */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';

  /** `what` such as `running Bind plugin "DefaultBinder"`. */
  constructor(what: string, cause: unknown) {
    super(`${what}: ${reasonFor(cause)}`, { cause });
  }
}

/** The message of an error for users. */
export function reasonFor(cause: unknown): string {
  return (cause instanceof StatusError ? cause.status.message : undefined) ?? messageOf(cause);
}
