import type { Connection } from '../cluster/connection.ts';
import { messagesOf } from '../cluster/socket-messages.ts';

/** Channels of `v5.channel.k8s.io`: the first byte of each message. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const RESIZE = 4;

export interface ExecTarget {
  /** The path of the pod. */
  readonly path: string;
  readonly container: string;
  readonly command: readonly string[];
}

export interface ExecOutput {
  readonly onOutput: (bytes: Uint8Array) => void;
  /** Once, when it is over. */
  readonly onEnd: (reason: string) => void;
}

/** A command with a terminal in a container. */
export class ExecSession implements Disposable {
  readonly #socket: WebSocket;

  constructor(connection: Connection, { path, container, command }: ExecTarget, output: ExecOutput) {
    const parameters = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'true' });
    for (const word of command) parameters.append('command', word);
    this.#socket = connection.socket(`${path}/exec?${parameters}`, ['v5.channel.k8s.io']);
    void this.#read(output);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(text: string): void {
    this.#send(STDIN, new TextEncoder().encode(text));
  }

  resize(columns: number, rows: number): void {
    this.#send(RESIZE, new TextEncoder().encode(JSON.stringify({ Width: columns, Height: rows })));
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #send(channel: number, bytes: Uint8Array): void {
    if (!this.isOpen) return;
    const message = new Uint8Array(bytes.length + 1);
    message[0] = channel;
    message.set(bytes, 1);
    this.#socket.send(message);
  }

  async #read({ onOutput, onEnd }: ExecOutput): Promise<void> {
    const { opened, received } = messagesOf(this.#socket);
    if (!(await opened)) return onEnd('The server refused the connection');
    let reason = 'The connection was closed';
    for await (const message of received) {
      if (typeof message === 'string') continue;
      const bytes = new Uint8Array(message);
      if (bytes[0] === STDOUT || bytes[0] === STDERR) onOutput(bytes.subarray(1));
      else if (bytes[0] === STATUS) reason = reasonOf(new TextDecoder().decode(bytes.subarray(1)));
    }
    onEnd(reason);
  }
}

function reasonOf(text: string): string {
  try {
    const { status, message } = JSON.parse(text) as { status?: string; message?: string };
    return status === 'Success' ? 'It ended with exit code 0' : (message ?? text);
  } catch {
    return text;
  }
}
