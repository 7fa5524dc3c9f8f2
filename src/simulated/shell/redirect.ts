import { Buffer } from 'node:buffer';
import { type ExpansionScope, expandText, expandWords } from './language/expand-word.ts';
import type { Redirection } from './language/syntax.ts';
import { type Descriptor, pathOf, type ShellProcess, type Writer } from './process.ts';
import { SharedInput } from './shared-input.ts';

/** A redirection that cannot be made; the command does not run. */
export class RedirectionError extends Error {
  override readonly name = 'RedirectionError';
}

/** The process with the open files that the redirections ask for, from left to right. */
export async function redirect(
  process: ShellProcess,
  redirections: readonly Redirection[],
  scope: ExpansionScope,
): Promise<ShellProcess> {
  let result = process;
  for (const { operator, descriptor, target } of redirections) {
    if (operator === '<<' || operator === '<<<') {
      const text = (await expandText(target, scope)) + (operator === '<<<' ? '\n' : '');
      result = withDescriptor(result, descriptor, { input: inputOf(Buffer.from(text)) });
      continue;
    }
    const name = (await expandWords([target], scope)).join(' ');
    if (operator === '>&' || operator === '<&') {
      result = withDescriptor(result, descriptor, name === '-' ? {} : opened(result, name));
    } else {
      result = withDescriptor(result, descriptor, open(result, name, operator));
    }
  }
  return result;
}

function opened(process: ShellProcess, name: string): Descriptor {
  const found = /^\d{1,2}$/.test(name) ? descriptorOf(process, Number(name)) : undefined;
  if (found === undefined) throw new RedirectionError(`${name}: Bad file descriptor`);
  return found;
}

export function descriptorOf(process: ShellProcess, number: number): Descriptor | undefined {
  if (number === 0) return { input: process.stdin };
  if (number === 1) return { output: process.stdout };
  if (number === 2) return { output: process.stderr };
  return process.descriptors.get(number);
}

function withDescriptor(process: ShellProcess, number: number, { input, output }: Descriptor): ShellProcess {
  if (number === 0) return { ...process, stdin: input ?? inputOf(new Uint8Array()) };
  if (number === 1) return { ...process, stdout: output ?? closed };
  if (number === 2) return { ...process, stderr: output ?? closed };
  const descriptors = new Map(process.descriptors);
  if (input === undefined && output === undefined) descriptors.delete(number);
  else descriptors.set(number, { ...(input && { input }), ...(output && { output }) });
  return { ...process, descriptors };
}

const closed: Writer = async () => undefined;

function inputOf(bytes: Uint8Array): SharedInput {
  return new SharedInput(once(bytes));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

const NULL_DEVICES = new Set(['/dev/null', '/dev/full', '/dev/tty']);
const OWN_DESCRIPTOR = /^\/(?:dev\/fd|proc\/self\/fd)\/(\d)$/;
const NAMED: Readonly<Record<string, number>> = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 };

function open(process: ShellProcess, name: string, operator: '<' | '>' | '>>' | '<>'): Descriptor {
  const path = pathOf(process, name);
  const number = NAMED[path] ?? OWN_DESCRIPTOR.exec(path)?.[1];
  if (number !== undefined) return opened(process, String(number));
  if (/^\/proc\/1\/fd\/[12]$/.test(path)) return { output: process.machine.mainOutput ?? closed };
  if (NULL_DEVICES.has(path)) return operator === '<' ? { input: inputOf(new Uint8Array()) } : { output: closed };
  const { files, clock } = process.machine;
  try {
    if (operator === '<') return { input: inputOf(files.read(path)) };
    if (operator === '>') files.write(path, new Uint8Array(), { nowMs: clock.now() });
    else files.append(path, new Uint8Array(), clock.now());
  } catch (error) {
    const verb = operator === '<' ? 'open' : 'create';
    throw new RedirectionError(`can't ${verb} ${name}: ${(error as Error).message}`);
  }
  return { output: async (bytes) => files.append(path, bytes, clock.now()) };
}
