import { execFile } from 'node:child_process';
import { findTool } from '../../src/base/testing/find-tool.ts';

/** What a run of kubectl left behind. */
export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl on this machine; tests that need it say so with `requires('kubectl')`. */
export function findKubectl(): string | undefined {
  return findTool('kubectl');
}

/** Runs kubectl against a kubeconfig; never rejects for a failing command. */
export class Kubectl {
  readonly #command: string;
  readonly #kubeconfig: string;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(command: string, kubeconfig: string, environment: Readonly<Record<string, string>> = {}) {
    this.#command = command;
    this.#kubeconfig = kubeconfig;
    this.#environment = environment;
  }

  run(args: readonly string[], input?: string): Promise<KubectlResult> {
    return new Promise((resolve) => {
      const child = execFile(
        this.#command,
        args,
        {
          env: {
            ...process.env,
            ...this.#environment,
            KUBECONFIG: this.#kubeconfig,
            KUBECACHEDIR: `${this.#kubeconfig}.cache`,
          },
          maxBuffer: 64 * 1024 * 1024,
        },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
      child.stdin?.end(input ?? '');
    });
  }

  /** The output of a command that must succeed. */
  async output(...args: readonly string[]): Promise<string> {
    const result = await this.run(args);
    if (result.code !== 0) throw new Error(`kubectl ${args.join(' ')} failed: ${result.stderr}`);
    return result.stdout;
  }

  /** Creates what the manifest says. */
  async create(manifest: string): Promise<string> {
    const result = await this.run(['create', '-f', '-'], manifest);
    if (result.code !== 0) throw new Error(`kubectl create failed: ${result.stderr}\n${manifest}`);
    return result.stdout;
  }
}
