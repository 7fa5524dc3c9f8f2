/** Below this, forwarding a piece costs more than its bytes. */
const SMALL_PIECE_BYTES = 4 * 1024;

/**
 * The same bytes in fewer pieces: after a small one, the reader lets the event loop turn once, so that what arrives meanwhile comes as one
 * piece. A kubelet sends each line of a log by itself. Assumes a source that joins the bytes that wait in it, as Node's streams do.
 */
export async function* joinedChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk;
    if (chunk.length < SMALL_PIECE_BYTES) await new Promise((resolve) => void setImmediate(resolve));
  }
}
