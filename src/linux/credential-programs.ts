import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialsOf, type RegistryCredential } from '../node/index.ts';

export interface CredentialProgram {
  /** The name of the program in its folder. */
  readonly name: string;
  readonly folder: string;
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Runs the program of a credential provider with this input; returns what it prints. */
export function runCredentialProgram(program: CredentialProgram, input: string): Promise<string> {
  const { name, folder, args, env } = program;
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env };
    const child = execFile(join(folder, name), [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          new Error(`error execing credential provider plugin ${name}: ${error.message}: ${stderr}`, { cause: error }),
        );
    });
    child.stdin?.on('error', () => undefined); // a program that does not read its input may still answer
    child.stdin?.end(input);
  });
}

/** The credentials that the machine has for all pods: the first docker configuration that is found in these folders. */
export async function machineCredentials(folders: readonly string[]): Promise<readonly RegistryCredential[]> {
  for (const [file, key] of [
    ['config.json', '.dockerconfigjson'],
    ['.dockercfg', '.dockercfg'],
  ] as const) {
    for (const folder of folders) {
      const text = await readFile(join(folder, file)).catch(() => undefined);
      const found = text === undefined ? [] : credentialsOf({ [key]: text.toString('base64') });
      if (found.length > 0) return found;
    }
  }
  return [];
}
