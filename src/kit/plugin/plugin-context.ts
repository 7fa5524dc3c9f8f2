import type { Client } from '../../client/index.ts';
import type { PluginFlags, PluginFlagValues } from './plugin-arguments.ts';

/** What a plugin's code works with. */
export interface PluginContext<Flags extends PluginFlags = PluginFlags> {
  /** A client of the cluster that `--kubeconfig` and `--context` choose. */
  readonly client: Client;
  /** What `--namespace` says, or the context; undefined with `--all-namespaces`: `client.kindIn(Pod, namespace).list()`. */
  readonly namespace: string | undefined;
  /** The arguments that are not flags. */
  readonly args: readonly string[];
  readonly flags: PluginFlagValues<Flags>;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  print(line: string): void;
  /** Prints a table as kubectl does. */
  table(headers: readonly string[], rows: readonly (readonly unknown[])[]): void;
}
