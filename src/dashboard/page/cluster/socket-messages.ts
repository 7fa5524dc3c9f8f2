/** Messages that wait for the page's attention; beyond this the socket is closed and its reader begins again. */
const MAX_WAITING = 20_000;
const OVERFLOW = 4_008;

export interface SocketMessages {
  /** Whether the connection was made. */
  readonly opened: Promise<boolean>;
  /** Ends when the socket is closed. Leaving the loop closes it. */
  readonly received: AsyncGenerator<string | ArrayBuffer>;
  /** Why it was closed; 1006 without a reason, such as a lost connection. Undefined while it is open. */
  closeCode(): number | undefined;
}

/** The messages of a WebSocket as an async iterable. */
export function messagesOf(socket: WebSocket, signal?: AbortSignal): SocketMessages {
  const waiting: (string | ArrayBuffer)[] = [];
  let closed: number | undefined;
  let wake: (() => void) | undefined;
  const opened = new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true));
    socket.addEventListener('close', () => resolve(false));
  });
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    waiting.push(data);
    if (waiting.length > MAX_WAITING) socket.close(OVERFLOW, 'The page is too slow');
    wake?.();
  });
  socket.addEventListener('close', ({ code }) => {
    closed = code;
    wake?.();
  });
  const close = (): void => {
    // browsers complain of sockets that are closed before they are open
    if (socket.readyState === WebSocket.CONNECTING) socket.addEventListener('open', () => socket.close());
    else socket.close();
  };
  signal?.addEventListener('abort', close);
  if (signal?.aborted) close();

  async function* received(): AsyncGenerator<string | ArrayBuffer> {
    try {
      for (;;) {
        for (const message of waiting.splice(0)) yield message;
        if (closed !== undefined && waiting.length === 0) return;
        if (waiting.length > 0) continue;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal?.removeEventListener('abort', close);
      close();
    }
  }
  return { opened, received: received(), closeCode: () => closed };
}
