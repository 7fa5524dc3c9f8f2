import { RuntimeError, type RuntimeService } from '../../node/index.ts';
import type { KeptConfigs } from './kept-configs.ts';

/** Finds sandboxes and containers by their id or by its beginning, which crictl shows. */
export class ServedIds {
  readonly #runtime: RuntimeService;
  readonly #kept: KeptConfigs;

  constructor(runtime: RuntimeService, kept: KeptConfigs) {
    this.#runtime = runtime;
    this.#kept = kept;
  }

  async sandbox(id: string): Promise<string> {
    const found = await this.findSandbox(id);
    if (found === undefined)
      throw new RuntimeError('NotFound', `an error occurred when try to find sandbox "${id}": not found`);
    return found;
  }

  async container(id: string): Promise<string> {
    const found = await this.findContainer(id);
    if (found === undefined)
      throw new RuntimeError('NotFound', `an error occurred when try to find container "${id}": not found`);
    return found;
  }

  async findSandbox(id: string): Promise<string | undefined> {
    if (this.#kept.sandboxes.has(id)) return id;
    return matching(id, await this.#runtime.listPodSandbox());
  }

  async findContainer(id: string): Promise<string | undefined> {
    if (this.#kept.containers.has(id)) return id;
    return matching(id, await this.#runtime.listContainers());
  }
}

function matching(id: string, all: readonly { readonly id: string }[]): string | undefined {
  if (id === '') return undefined;
  const found = all.filter((each) => each.id.startsWith(id));
  const exact = found.find((each) => each.id === id);
  if (exact === undefined && found.length > 1)
    throw new RuntimeError('Failed', `"${id}" is the beginning of ${found.length} ids: give more of it`);
  return (exact ?? found[0])?.id;
}
