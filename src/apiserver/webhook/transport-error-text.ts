import { quoteGo } from '../../api/index.ts';
import { goTransportWords } from '../../wire/http/index.ts';

/** Describes a failed request as Go's HTTP client does. */
export function transportErrorText(error: unknown): string {
  return goTransportWords(error, quoteGo);
}
