import type { CommandEntry } from '../command.ts';
import { apiserverCommand } from '../commands/apiserver.ts';
import { runCommand } from '../run-command.ts';
import { sendMessage } from './messages.ts';
import type { ApiserverMessage, ApiserverRequest } from './requests.ts';
import type { Served } from './served.ts';

/** One thread serves all, so more of them run better in separate processes. */
const MAX_RUNNING = 4;

const APISERVER: CommandEntry = { name: 'apiserver', summary: '', load: async () => apiserverCommand };

/** Runs `keelson apiserver` on behalf of the client. */
export async function serveApiserver(request: ApiserverRequest, served: Served): Promise<void> {
  const { connection, running, signal } = served;
  const send = (message: ApiserverMessage): void => sendMessage(connection, message);
  if (running > MAX_RUNNING) return send({ type: 'full' });
  const code = await runCommand([APISERVER], ['apiserver', ...request.args], {
    env: request.environment,
    stdout: { write: (text) => send({ type: 'out', text }) },
    stderr: { write: (text) => send({ type: 'error', text }) },
    once: (event, stop) => event === 'SIGTERM' && signal.addEventListener('abort', stop, { once: true }),
  });
  send({ type: 'ended', code });
}
