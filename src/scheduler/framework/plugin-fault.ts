import { StatusError } from '../../client/index.ts';

/** A plugin has failed, which is not the pod's fault: it is tried again. */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';

  /** `what` such as `running Bind plugin "DefaultBinder"`. */
  constructor(what: string, cause: unknown) {
    super(`${what}: ${messageOf(cause)}`, { cause });
  }
}

/** What somebody who sees only the message should read. */
export function messageOf(cause: unknown): string {
  if (cause instanceof StatusError) return cause.status.message ?? cause.message;
  return cause instanceof Error ? cause.message : String(cause);
}
