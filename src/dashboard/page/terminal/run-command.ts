import type { Connection } from '../cluster/connection.ts';
import { messagesOf } from '../cluster/socket-messages.ts';
import type { ExecTarget } from './exec-session.ts';

/** Channels of `v5.channel.k8s.io`: the first byte of each message. */
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

export interface CommandResult {
  readonly output: Uint8Array<ArrayBuffer>;
  /** Whether there was more than is kept. */
  readonly isCut: boolean;
}

/** Runs a command in a container to its end and returns what it wrote, up to `maxBytes`. Throws what it complained about when it failed. */
export async function runCommand(
  connection: Connection,
  { path, container, command }: ExecTarget,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<CommandResult> {
  const parameters = new URLSearchParams({ container, stdout: 'true', stderr: 'true' });
  for (const word of command) parameters.append('command', word);
  const socket = connection.socket(`${path}/exec?${parameters}`, ['v5.channel.k8s.io']);
  const { opened, received } = messagesOf(socket, signal);
  if (!(await opened)) throw new Error('The server refused the connection');
  const chunks: Uint8Array[] = [];
  let kept = 0;
  let complaint = '';
  let status: string | undefined;
  for await (const message of received) {
    if (typeof message === 'string') continue;
    const [channel, bytes] = [new Uint8Array(message)[0], new Uint8Array(message, 1)];
    if (channel === STDOUT) {
      chunks.push(bytes.subarray(0, maxBytes - kept));
      kept += bytes.length;
      if (kept > maxBytes) break;
    } else if (channel === STDERR) complaint = (complaint + new TextDecoder().decode(bytes)).slice(0, 2000);
    else if (channel === STATUS) status = problemOf(new TextDecoder().decode(bytes));
  }
  signal.throwIfAborted();
  if (kept <= maxBytes && status !== '')
    throw new Error(complaint.trim() || (status ?? 'The connection was closed before the end'));
  return { output: joined(chunks), isCut: kept > maxBytes };
}

/** What a Status says of a command that failed; empty for one that succeeded. */
function problemOf(text: string): string {
  try {
    const { status, message } = JSON.parse(text) as { status?: string; message?: string };
    return status === 'Success' ? '' : (message ?? text);
  } catch {
    return text;
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
