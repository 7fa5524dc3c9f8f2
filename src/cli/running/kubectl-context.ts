import { type Clock, messageOf, type Random } from '../../base/index.ts';
import { type ControlPlane, defaultKubeconfigPath, KubeconfigContext } from '../../cluster/index.ts';
import type { CommandContext } from '../command.ts';
import { defaultDataFolder } from '../commands/log-flags.ts';
import { RunningClusters } from './running-clusters.ts';

export interface KubectlContextOptions {
  /** The file that gets the kubeconfig; default the one that kubectl changes. */
  readonly kubeconfig: string | undefined;
  readonly isEphemeral: boolean;
  /** The command line, for other commands that meet this cluster. */
  readonly command: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly context: Pick<CommandContext, 'environment' | 'print' | 'printError'>;
}

/** Points kubectl at a running cluster until it is disposed; the context that was current before is then current again. */
export class KubectlContext implements AsyncDisposable {
  readonly #context: KubeconfigContext;
  readonly #plane: ControlPlane;
  readonly #options: KubectlContextOptions;
  readonly #clusters: RunningClusters;
  readonly #renewal: Disposable;

  private constructor(context: KubeconfigContext, plane: ControlPlane, options: KubectlContextOptions) {
    this.#context = context;
    this.#plane = plane;
    this.#options = options;
    this.#clusters = new RunningClusters(defaultDataFolder(options.context.environment));
    this.#renewal = plane.onRenewed(() => void this.#renew());
  }

  static async open(plane: ControlPlane, options: KubectlContextOptions): Promise<KubectlContext> {
    const path = options.kubeconfig ?? defaultKubeconfigPath(options.context.environment);
    const opened = new KubectlContext(await KubeconfigContext.write(path, plane.access, options), plane, options);
    await opened.#note();
    return opened;
  }

  /** For the line that says that the cluster is ready. */
  get description(): string {
    const { path, name, isRenamed } = this.#context;
    const reason = isRenamed ? ` ("${this.#plane.access.name}" is another cluster's)` : '';
    return `kubeconfig ${path}, context ${name}${reason}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#renewal[Symbol.dispose]();
    const { merged = [] } = (await this.#clusters.find(process.pid)) ?? {};
    const others = merged.map(({ path, name }) => KubeconfigContext.written(path, name, this.#options));
    for (const context of [this.#context, ...others]) await this.#release(context);
    await this.#clusters.remove(process.pid).catch(() => undefined); // a read-only folder has no note
  }

  async #release(context: KubeconfigContext): Promise<void> {
    const { print, printError } = this.#options.context;
    try {
      const current = await context.release();
      if (current !== undefined && current !== '') print(`kubectl is back at context ${current}`);
    } catch (error) {
      printError(messageOf(error));
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.#context.renew(this.#plane.access);
      await this.#note();
    } catch (error) {
      this.#options.context.printError(messageOf(error));
    }
  }

  /** Without a note, as in a read-only home, other commands do not find the cluster; nothing else needs it. */
  async #note(): Promise<void> {
    const { access } = this.#plane;
    const { command, isEphemeral } = this.#options;
    const { name } = this.#context;
    const { pid } = process;
    const { merged = [] } = (await this.#clusters.find(pid)) ?? {};
    await this.#clusters.note({ name, pid, command, isEphemeral, access, merged }).catch(() => undefined);
  }
}
