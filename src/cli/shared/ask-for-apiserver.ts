import type { CommandContext } from '../command.ts';
import { type ConnectOptions, connectToServer } from './connect-to-server.ts';
import { onMessage, sendMessage } from './messages.ts';
import type { ApiserverMessage, ApiserverRequest } from './requests.ts';

/**
 * Asks the shared server to run an API server, and passes its output on; undefined when it cannot be reached or is
 * full.
 */
export async function askForApiserver(
  request: ApiserverRequest,
  context: CommandContext,
  options: ConnectOptions,
): Promise<number | undefined> {
  const connection = await connectToServer(options).catch(() => undefined); // the caller runs its own API server instead
  if (connection === undefined) return undefined;
  connection.on('error', () => undefined); // ends the messages
  const stop = (): void => void connection.end();
  context.signal.addEventListener('abort', stop, { once: true });
  return await new Promise((resolve, reject) => {
    connection.once('close', () => reject(new Error('the shared server has ended')));
    onMessage<ApiserverMessage>(connection, (message) => {
      if (message.type === 'out') context.print(message.text.trimEnd());
      else if (message.type === 'error') context.printError(message.text.trimEnd());
      else {
        resolve(message.type === 'ended' ? message.code : undefined);
        connection.destroy();
      }
    });
    sendMessage(connection, request);
  });
}
