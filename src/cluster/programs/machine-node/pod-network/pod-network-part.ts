import { mkdir } from 'node:fs/promises';
import { FolderChanges, runTogether } from '../../../../base/index.ts';
import { Node, type Observed } from '../../../../client/index.ts';
import type { AppContext, KeyedWorkers, Part, PreparedPart } from '../../../../kit/index.ts';
import { NetworkFile } from './network-file.ts';

export interface PodNetworkOptions {
  readonly nodeName: string;
  /** Where the container runtime looks for networks. */
  readonly folder: string;
  /** The ranges of pods, in place of those of the Node object. */
  readonly podCidrs?: readonly string[];
}

/** The folder is looked at so often even if no change was seen. */
const LOOK_EVERY_MS = 60_000;

/**
 * Keeps the file of the pods' network as the node's ranges are, and away while the administrator has a file of their own. A node without a
 * range has no file, and its runtime reports no network.
 */
export function podNetworkPart(options: PodNetworkOptions): Part {
  return { name: 'pod-network', prepare: (context) => new PodNetwork(context, options) };
}

class PodNetwork implements PreparedPart {
  readonly #context: AppContext;
  readonly #options: PodNetworkOptions;
  readonly #workers: KeyedWorkers;
  readonly #file: NetworkFile;
  /** What was logged last: a file of the administrator is reported once. */
  #reported = '';

  constructor(context: AppContext, options: PodNetworkOptions) {
    const { nodeName, folder, podCidrs = [] } = options;
    this.#context = context;
    this.#options = options;
    this.#file = new NetworkFile(folder, context.random);
    const where = { fieldSelector: `metadata.name=${nodeName}` };
    const nodes = context.objects(Node, where);
    this.#workers = context.workers('pod_network', {
      concurrency: 1,
      work: async (name) => this.#write(podCidrs.length > 0 ? podCidrs : (nodes.get(name)?.spec?.podCIDRs ?? [])),
    });
    const changed = (node: Observed<Node>): void => this.#workers.add(node.metadata.name);
    context.onChange(
      Node,
      {
        add: changed,
        update: (node, old) => {
          if (node.spec?.podCIDRs?.join() !== old.spec?.podCIDRs?.join()) changed(node);
        },
      },
      where,
    );
    if (podCidrs.length > 0) this.#workers.add(nodeName);
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether([this.#workers, { run: (scope) => this.#watchFolder(scope) }], signal);
  }

  async #watchFolder(signal: AbortSignal): Promise<void> {
    const { folder, nodeName } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o755 });
    using changes = new FolderChanges(folder, { clock: this.#context.clock, maxWaitMs: LOOK_EVERY_MS });
    while (!signal.aborted) {
      await changes.next(signal);
      this.#workers.add(nodeName);
    }
  }

  async #write(podCidrs: readonly string[]): Promise<void> {
    if (podCidrs.length === 0) return; // the controller of ranges has not been there yet
    const outcome = await this.#file.write(podCidrs);
    switch (outcome.type) {
      case 'written':
        return this.#report('network of pods written', { file: this.#file.path, ranges: podCidrs.join() });
      case 'foreign':
        return this.#report('network of pods is configured already', { file: outcome.file });
      case 'unchanged':
        return undefined;
    }
  }

  #report(message: string, fields: Readonly<Record<string, string>>): void {
    const text = `${message} ${JSON.stringify(fields)}`;
    if (text !== this.#reported) this.#context.log.info(message, fields);
    this.#reported = text;
  }
}
