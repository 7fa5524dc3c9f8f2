/** A single line longer than this ends the stream: an object of the API has at most about 3 MB. */
const MAX_LINE_CHARACTERS = 64 * 1024 * 1024;

/** The lines of an answer as they arrive, without their ends. Leaving the loop ends the request. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let parts: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      let start = 0;
      for (let end = value.indexOf('\n'); end >= 0; end = value.indexOf('\n', start)) {
        parts.push(value.slice(start, end));
        yield parts.join('');
        parts = [];
        length = 0;
        start = end + 1;
      }
      if (start === value.length) continue;
      parts.push(value.slice(start));
      length += value.length - start;
      if (length > MAX_LINE_CHARACTERS)
        throw new Error(`Cannot read the stream: a line has over ${MAX_LINE_CHARACTERS} characters`);
    }
    if (length > 0) yield parts.join('');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
