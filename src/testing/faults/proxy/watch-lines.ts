import { type Transport, withSend } from '../../../client/index.ts';
import { resourceRequest } from '../../resource-request.ts';

/** The longest line of a watch, which has one object. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;

/** Answers watches in JSON, a line at a time, so that an event can be held back, and another one put in its place. */
export function watchesInLines(server: Transport): Transport {
  return withSend(server, async (sent) => {
    if (resourceRequest(sent)?.verb !== 'watch') return server.send(sent);
    const accept = jsonOnly(sent.headers['accept']);
    const response = await server.send({ ...sent, headers: { ...sent.headers, accept } });
    const { body } = response;
    if (body.type !== 'bytes' || response.status !== 200) return response;
    return { ...response, body: { type: 'bytes', chunks: wholeLines(body.chunks) } };
  });
}

/** What a client accepts, without all that is not JSON. Clients take JSON whatever they asked for. */
function jsonOnly(accept: string | readonly string[] = ''): string {
  const wishes = String(accept).split(',');
  return wishes.filter((each) => each.trim().startsWith('application/json')).join(',') || 'application/json';
}

export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, end + 1);
      yield parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      parts = [];
      bytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > MAX_LINE_BYTES) throw new Error(`Cannot read the watch: a line has more than ${MAX_LINE_BYTES} bytes`);
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}
