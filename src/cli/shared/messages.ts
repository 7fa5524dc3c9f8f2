import type { Socket } from 'node:net';

const MAX_LINE = 1024 * 1024;

/** Calls the handler for each line of JSON; destroys a connection that sends anything else. */
export function onMessage<Message>(connection: Socket, handle: (message: Message) => void): void {
  let text = '';
  connection.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    if (text.length > MAX_LINE) connection.destroy(new Error(`a line is longer than ${MAX_LINE} characters`));
    try {
      for (const line of lines) handle(JSON.parse(line) as Message);
    } catch (error) {
      connection.destroy(error as Error);
    }
  });
}

/** The first message; undefined when the other side closes the connection before. */
export function firstMessage<Message>(connection: Socket): Promise<Message | undefined> {
  return new Promise((resolve) => {
    onMessage<Message>(connection, resolve);
    for (const event of ['end', 'close']) connection.once(event, () => resolve(undefined));
  });
}

/** Sends one message as a line. */
export function sendMessage<Message>(connection: Socket, message: Message): void {
  if (connection.writable) connection.write(`${JSON.stringify(message)}\n`);
}
