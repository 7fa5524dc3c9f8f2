// What is needed to put real API servers behind the one that is tried.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { Daemon, findPeers, type RunningServer } from '../../peers/index.ts';
import { type Ended, runCommand } from './toolchain.ts';

export const STEP_LIMIT_MS = 120_000;

export function whyMissing(names: readonly string[]): string | undefined {
  const found = findPeers(names);
  return found.paths === undefined ? found.reason : undefined;
}

/** The programs, by their names in the catalog. */
export function programs<Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  const { paths, reason } = { reason: '', ...findPeers(names) };
  if (paths === undefined) throw new Error(reason);
  return paths;
}

/** Programs beside the server, which end with it. */
export class Programs implements AsyncDisposable {
  readonly #folder: string;
  readonly #daemons: Daemon[] = [];

  constructor({ folder }: RunningServer) {
    this.#folder = folder;
  }

  start(name: string, program: string, flags: readonly string[]): void {
    this.#daemons.push(new Daemon(program, flags, { logPath: join(this.#folder, `${name}.log`) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#daemons.map((daemon) => daemon.stop()));
  }
}

/** kubectl on one server. */
export class Kubectl {
  readonly #program: string;
  readonly #server: RunningServer;

  constructor(server: RunningServer) {
    this.#program = programs(['kubectl']).kubectl;
    this.#server = server;
  }

  /** What it prints; rejects when it fails. */
  async run(args: string): Promise<string> {
    const { code, stdout, stderr } = await this.try(args);
    if (code !== 0) throw new Error(`kubectl ${args}: ${stderr}`);
    return stdout;
  }

  try(args: string): Promise<Ended> {
    return runCommand([this.#program, ...args.split(' ')], {
      cwd: this.#server.folder,
      environment: { KUBECONFIG: this.#server.kubeconfig },
      limitMs: STEP_LIMIT_MS,
    });
  }

  async create(objects: readonly object[]): Promise<void> {
    const file = join(this.#server.folder, 'objects.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    await this.run(`create -f ${file}`);
  }

  /** A kubeconfig with which a program in this machine is the service account. */
  async kubeconfigOf(namespace: string, account: string): Promise<string> {
    const config = load(await readFile(this.#server.kubeconfig, 'utf8')) as { users: { user: object }[] };
    const token = await this.run(`create token ${account} -n ${namespace}`);
    for (const entry of config.users) entry.user = { token: token.trim() };
    const file = join(this.#server.folder, `${account}.kubeconfig`);
    await writeFile(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }
}

export function serverFlags({
  kubeconfig,
  port,
  folder,
}: {
  readonly kubeconfig: string;
  readonly port: number;
  readonly folder: string;
}): string[] {
  const identities = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const own = [`--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${join(folder, `certs-${port}`)}`];
  return [...own, ...identities.map((flag) => `--${flag}=${kubeconfig}`)];
}

export function expectText(text: string, wanted: string): void {
  if (!text.includes(wanted)) throw new Error(`"${wanted}" is not in "${text}"`);
}

/** Asks again and again; the step's own limit ends it. */
export async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let left = 60; left > 0; left--) if (await isSo()) return;
  throw new Error('it did not come to be so');
}
