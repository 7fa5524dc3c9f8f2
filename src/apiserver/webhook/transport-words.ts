import { quoteGo } from '../../api/index.ts';
import { goTransportWords } from '../../wire/http/index.ts';

/** Why no answer came, in the words of Go's HTTP client. */
export function transportWords(error: unknown): string {
  return goTransportWords(error, quoteGo);
}
