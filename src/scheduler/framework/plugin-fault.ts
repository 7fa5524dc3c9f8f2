import { StatusError } from '../../client/index.ts';

/** A plugin has failed. The pod is not to blame, and is tried again. */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';

  /** `what` such as `running Bind plugin "DefaultBinder"`. */
  constructor(what: string, cause: unknown) {
    super(`${what}: ${messageOf(cause)}`, { cause });
  }
}

/** The message of an error for users. */
export function messageOf(cause: unknown): string {
  if (cause instanceof StatusError) return cause.status.message ?? cause.message;
  return cause instanceof Error ? cause.message : String(cause);
}
