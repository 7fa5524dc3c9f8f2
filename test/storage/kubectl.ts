import { runProgram } from '../../peers/index.ts';

const LIMIT_MS = 60_000;

/** The real kubectl on a cluster. */
export class Kubectl {
  readonly #command: readonly string[];

  constructor(path: string, kubeconfig: string) {
    this.#command = [path, `--kubeconfig=${kubeconfig}`];
  }

  /** What it prints. Fails as it does. */
  async run(...args: readonly string[]): Promise<string> {
    return await runProgram([...this.#command, ...args], { limitMs: LIMIT_MS });
  }
}
